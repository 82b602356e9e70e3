<?php
// relay.php PORT TARGET RATE: hands connections on from 127.0.0.1:PORT to 127.0.0.1:TARGET, at most RATE bytes a second
// in each direction of each connection.
[, $port, $target, $rate] = $argv;
$server = stream_socket_server("tcp://127.0.0.1:$port");
$peers = [];
$streams = [];
while (true) {
    usleep(10000);
    $ready = [$server, ...$streams];
    $none = null;
    if (!stream_select($ready, $none, $none, 1)) continue;
    foreach ($ready as $stream) {
        if ($stream === $server) {
            $client = stream_socket_accept($server);
            $upstream = @stream_socket_client("tcp://127.0.0.1:$target");
            if (!$upstream) { fclose($client); continue; }
            foreach ([[$client, $upstream], [$upstream, $client]] as [$one, $other]) {
                stream_set_read_buffer($one, 0);
                $streams[(int)$one] = $one;
                $peers[(int)$one] = $other;
            }
            continue;
        }
        $id = (int)$stream;
        if (!isset($streams[$id])) continue;
        $piece = @fread($stream, max(1, intdiv((int)$rate, 100)));
        if ($piece !== '' && $piece !== false && @fwrite($peers[$id], $piece) !== false) continue;
        foreach ([$stream, $peers[$id]] as $end) {
            unset($streams[(int)$end], $peers[(int)$end]);
            fclose($end);
        }
    }
}
