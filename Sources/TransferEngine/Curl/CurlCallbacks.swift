internal import CCurl

/// What libcurl calls: each recovers its object and calls one method. All run on the lane's queue.
enum CurlCallbacks {
    static let read: transferd_data_function = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    static let write: transferd_data_function = { bytes, size, count, context in
        guard let context else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.write(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    /// Bytes of a body as they came.
    static let raw: transferd_debug_function = { _, kind, bytes, count, context in
        guard kind == CURLINFO_DATA_IN, let bytes, let context else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        transfer.writeRaw(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
    }

    static let line: transferd_data_function = { bytes, size, count, context in
        guard let context else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.line(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    /// A body is never read twice: libcurl, which would repeat a request by itself when a kept connection resets, ends
    /// it with an error instead.
    static let seek: transferd_seek_function = { _, _, _ in CURL_SEEKFUNC_FAIL }

    static let request: transferd_request_function = { context, _, _, _, _ in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.ask() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    static let open: transferd_open_function = { context, _, address in
        guard let context, let address else { return -1 }
        let control = Unmanaged<LaneControl>.fromOpaque(context).takeUnretainedValue()
        let wanted = address.pointee
        return control.openSocket(family: wanted.family, type: wanted.socktype, protocol: wanted.protocol)
            ?? -1
    }

    static let close: transferd_close_function = { context, socket in
        guard let context else { return 1 }
        return Unmanaged<LaneControl>.fromOpaque(context).takeUnretainedValue().closeSocket(socket)
    }

    static let socket: transferd_socket_function = { _, socket, what, context, _ in
        guard let context else { return -1 }
        Unmanaged<SocketSet>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
        return 0
    }

    static let timer: transferd_timer_function = { _, milliseconds, context in
        guard let context else { return -1 }
        Unmanaged<TransferLoop>.fromOpaque(context).takeUnretainedValue().setTimeout(milliseconds)
        return 0
    }
}
