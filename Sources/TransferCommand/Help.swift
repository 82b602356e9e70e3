internal import TransferConfiguration

/// The texts of `--help`.
enum Help {
    static func text(_ topic: HelpTopic) -> String {
        switch topic {
        case .program: program
        case .enqueue: enqueue + deliveryKeys
        case .status: status
        case .show: show
        case .wait: wait
        case .rate: rate
        case .remote: remote
        case .cancel:
            request(
                "cancel",
                "The job ends as 'cancelled'; a running one is stopped. Files it was handed are removed.")
        case .hold:
            request("hold", "The job waits until 'release'; a running one is stopped and goes on from there.")
        case .release:
            request(
                "release",
                "A held job goes on. One that is held because nobody knows whether it arrived is not lifted:\n"
                    + "only 'retry' sends it again.")
        case .retry:
            request(
                "retry",
                "A failed, cancelled, expired or held job is sent again, a waiting one at once, and its attempts\n"
                    + "are counted from the start.")
        }
    }

    private static let program = """
        transferctl: hands transfers to transferd and shows how they go.

        transferctl enqueue upload FILE... URL    send files to an FTP, SFTP or web server
        transferctl enqueue form URL -F ...       post a form, with files
        transferctl enqueue download URL...       fetch files
        transferctl enqueue --from FILE           jobs described in JSON
        transferctl status [ID...]                what runs, waits and failed
        transferctl show ID...                    everything about a job
        transferctl wait ID...                    until jobs are over
        transferctl cancel | hold | release | retry ID...
        transferctl rate ID... RATE               the most that jobs may move, also while they run
        transferctl remote ls | rm | mv | mkdir | rmdir | get | quote | check URL
                                                  look at and change what is at a server

        Before or after each command:
          --config FILE   configuration; else $TRANSFERD_CONFIG, else /etc/transferd/transferd.conf
          --state DIR     everything below one directory, without a configuration of the system's
          --help          this text; after a command, or as 'transferctl help COMMAND': more about it
          --version

        A job is recorded when its number is printed, whether transferd runs or not.

        Exit status: 0 good; 1 a job failed, was cancelled or expired, or a request was refused;
        2 wrong usage, configuration or number of a job; 5 would work later (table locked, time up, job held).

        """

    private static let enqueue = """
        transferctl enqueue upload FILE... URL [--option KEY=VALUE]...
          ftp://, ftps://, sftp://, and http:// and https:// with PUT; a URL that ends in / keeps the file's name.
          FILE - is standard input.

        transferctl enqueue form URL [-F FIELD]... [--form-string NAME=VALUE]... [--header 'N: V']...
          -F NAME=VALUE                       data, never interpreted, whatever but @ it starts with
          -F NAME=@FILE[;type=T][;filename=N] a file; a name with ; , or " goes into double quotes: @"a;b.txt".
                                              FILE - is standard input. ;headers="N: V" is a field of the part's
                                              own head, ;filename*=utf-8 tells the name as RFC 8187 has it too.
                                              Without ;type= the name says it, else application/octet-stream
          -F @NAME=FILE                       the same
          --form-string NAME=VALUE            data, also where NAME or VALUE starts with @
          -H, --header 'Name: value'          a header field of the request
          --unknown retry|hold                what to do when the server may or may not have had the whole form

        transferctl enqueue download URL/ --glob PATTERN... [-d DIR]
          each file of a directory at a server whose name matches, such as '*.csv'; transferd has to run.

        transferctl enqueue download URL... [-o FILE | -d DIR] [--checksum SUM]... [--checksum-url URL]
                                           [--if-newer] [-J] [--mirror URL]... [--segments N]
          http://, https://, ftp://, ftps://, sftp://; below a directory of download_dirs, its first one by default.
          --checksum SUM          what the file has to have: sha512:HEX, sha256:HEX, sha1:HEX, md5:HEX, or the digits
          --checksum-url URL      a list of checksums as sha256sum writes it, or one alone, seen from the download's
                                  address: SHA256SUMS, ../x.iso.sha512
          --if-newer              nothing is fetched when the server's file is the one that is here
          -J, --remote-name       the file gets the name that the web server tells, made harmless
          --mirror URL            another web address of the same file: when the ones before it fail, and for segments
          --segments N|auto|off   over how many connections a large file comes at a time, from a web server

        transferctl enqueue --from FILE
          Jobs described in JSON (FILE - is standard input), one object a job, several one after the other or in a
          list; all of them are recorded, or none.
            {"kind": "upload", "url": "ftp://h/in/", "file": "a.bin", "options": {"on_conflict": "fail"}}
            {"kind": "form", "url": "https://h/in", "headers": ["N: V"], "unknown": "hold", "fields": [
              ["f[]", "data"], ["@scan", "FILE"],
              {"name": "scan", "file": "FILE", "type": "image/tiff", "filename": "b.tif", "headers": ["N: V"]},
              {"name": "meta", "value": "{}", "type": "application/json"}]}
            {"kind": "download", "url": "https://h/x", "directory": "d", "checksum": "sha256:HEX",
             "mirrors": ["https://i/x"], "options": {"if_newer": "yes"}}
          In a list ["@NAME", "FILE"] is a file, as with -F; "filename*": "utf-8", "output", "checksum_url", and in each job
          "priority", "label", "not_before", "expires" mean what their options do.

        Each prints the numbers of its jobs, one a line, and takes
          --priority N          higher goes first; 0 by default
          --not-before TIME     no earlier; TIME is +5m, 2031-05-28, '2031-05-28 14:30' (local time) or
                                2031-05-28T14:30:00Z
          --expires TIME        give up then; by default five days after it may start, or as configured
          --label TEXT          shown by status and show
          --rate RATE           bytes a second that it may move at most, such as 500K or 2M
          --wait                until the jobs are over; exit status as for 'transferctl wait'
          --json                the jobs as JSON, one a line

        Files are copied as you can read them, so you may delete yours; those below a directory of source_dirs
        are read where they are. Passwords never stand in a URL: they belong into the file that 'netrc =' names.

        """

    /// From the table that the configuration is read by.
    private static var deliveryKeys: String {
        """

        How one upload is put into place, where the server's [origin] is not to say so: --option KEY=VALUE, with the
        following, of which downloads take on_conflict, keep_mtime and permissions:
        \(list(DeliveryOptions.keys))
        A repeated one keeps its order. Names and commands may have {name} {stem} {ext} {path} {directory}
        {temporary} {id} {key} {route} {size} {sha256} {mtime} {date:%Y%m%d} in them, as far as it is known by
        then; times are local, '{{' and '}}' are braces.

        The same for requests to web servers; downloads take header, auth and cookies:
        \(list(JobOptions.requestKeys))

        The same for downloads:
        \(list(JobOptions.fetchKeys))

        """
    }

    private static func list(_ keys: [(name: String, documentation: String)]) -> String {
        let width = keys.map(\.name.utf8.count).max() ?? 0
        return keys.map { "  " + DisplayWidth.padded($0.name, to: width) + "  " + $0.documentation }
            .joined(separator: "\n")
    }

    private static let status = """
        transferctl status [ID...] [--state S] [--route R] [--origin HOST] [--limit N] [--all] [--json] [--watch]

        Shows what runs, waits, is held or has failed within a day; with ID these jobs.
          --state S       jobs in these states: queued, running, held, done, failed, cancelled, expired;
                          several with commas. Anything with a / is a state directory, as for every command.
          --route R       jobs of that route
          --origin HOST   jobs to or from that host
          --limit N       at most N (50)
          --all           all jobs, whatever their state
          --json          one JSON object a line
          --watch         again and again: a picture on a terminal, a line for each change elsewhere;
                          with ID until these jobs are over

        """

    private static let show = """
        transferctl show ID... [--json]
        transferctl show --reply [-i] ID    what the server answered to a form, as it came: the first 64 KiB of the
                                            body; -i: after the status line and the header fields

        Everything about a job: its order, its attempts, the server's answer.

        """

    private static let wait = """
        transferctl wait ID... [--timeout D] [--json]

        Returns when every job is done, failed, cancelled, expired or held. Exit status 0 when all are done,
        1 when one failed, was cancelled or expired, else 5: one is held, or the time (90s, 5m30s, 2h) is up.

        """

    private static let rate = """
        transferctl rate ID... RATE|off [--json]

        The jobs move at most RATE bytes a second each from now on: 300000, 500K, 2M; 'off' lifts that. The rates
        of their servers and of all transfers together, which the configuration gives, hold besides.
        Exit status 1 for a job that is over, 2 when there is no such job.

        """

    private static let remote = """
        transferctl remote ls [-l] [--json] URL      what a directory holds; -l: all that the server says
        transferctl remote rm URL                    removes a file
        transferctl remote mv URL NEWPATH            gives it another path: beside the old one, or from the
                                                     server's root with a / before it; one that ends in /
                                                     keeps the name. Nothing is replaced
        transferctl remote mkdir [-p] URL            -p: missing ones above it too, and it may be there already
        transferctl remote rmdir URL                 removes an empty directory
        transferctl remote get URL [-o FILE]         the content of a file, to FILE or standard output
        transferctl remote quote [--json] URL COMMAND...
                                                     sends commands, each one word: 'SITE CHMOD 600 x'
        transferctl remote check [--write] [--json] URL | ROUTE
                                                     logs in and says what the server is and can, how far it
                                                     can be trusted, and what to put into the configuration;
                                                     --write: tries it with a small file of its own

        For ftp://, ftps://, sftp://, and for http:// and https:// as far as the server speaks WebDAV. It is done
        by transferd, with its configuration and passwords, before anything else that waits for that server, and
        tried once; Ctrl-C gives it up. Without a transferd nothing is done, and the exit status is 5.

          --queue   prints the number of a job that waits and is tried again like any other
        transferctl remote result [-l] [--json] ID [-o FILE]
                    prints what such a job brought, and removes it; results that nobody reads are kept as
                    long as 'keep_failed' says

        Times of lists are in UTC, or in the server's own zone where it does not say. Exit status: 0 good;
        1 the server refused; 2 wrong usage; 5 may go better later, in the server's or the network's words.

        """

    private static func request(_ name: String, _ text: String) -> String {
        """
        transferctl \(name) ID... [--json]

        \(text)
        Exit status 1 when a job's state does not permit it, 2 when there is no such job.

        """
    }
}
