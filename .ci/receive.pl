# receive.pl PORT FILE: receives forms with CGI.pm; writes each as a line of JSON to FILE, its parts in order.
# Names are bytes in hexadecimal.
use strict;
use warnings;
use CGI;
use Digest::SHA;
use Fcntl ':flock';
use IO::Socket::INET;

my ($port, $file) = @ARGV;
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 64, ReuseAddr => 1)
    or die "listen: $!";
$SIG{CHLD} = 'IGNORE';
$CGI::POST_MAX = -1;
$CGI::LIST_CONTEXT_WARN = 0;

# CGI.pm tells the names in order and the values of each name; the order of all parts is that of their heads.
my @heads;
{
    no warnings 'redefine';
    my $read = \&CGI::MultipartBuffer::readHeader;
    *CGI::MultipartBuffer::readHeader = sub {
        my %head = $read->(@_);
        push @heads, {%head} if %head;
        return %head;
    };
}

sub text { defined $_[0] ? '"' . ($_[0] =~ s/(["\\])/\\$1/gr) . '"' : 'null' }

sub part {
    my ($query, $head, $seen) = @_;
    my ($name) = $head->{'Content-Disposition'} =~ /[\s;]name="([^"]*)"/;
    my $value = ($query->multi_param($name))[ $seen->{$name}++ ];
    my $digest = Digest::SHA->new(256);
    my ($filename, $type, $size) = (undef, $head->{'Content-Type'}, 0);
    if (ref $value) {
        $filename = unpack 'H*', "$value";
        $type = $query->uploadInfo($value)->{'Content-Type'};
        binmode $value;
        $digest->addfile($value);
        $size = -s $value;
    } else {
        $digest->add($value);
        $size = length $value;
    }
    return sprintf '{"name":"%s","filename":%s,"type":%s,"size":%d,"sha256":"%s"}', unpack('H*', $name),
        text($filename), text($type), $size, $digest->hexdigest;
}

sub serve {
    my ($connection) = @_;
    my $head = '';
    while ($head !~ /\r\n\r\n$/) { sysread($connection, $head, 1, length $head) or return }
    my ($target) = $head =~ m{^POST (\S+)};
    my ($type) = $head =~ /^content-type: *(.*?)\r$/mi;
    my ($length) = $head =~ /^content-length: *(\d+)/mi;
    my ($number) = $target =~ /form=(\d+)/;
    open STDIN, '<&', $connection or die "dup: $!";
    %ENV = (%ENV, REQUEST_METHOD => 'POST', CONTENT_TYPE => $type, CONTENT_LENGTH => $length, QUERY_STRING => '',
        SERVER_PROTOCOL => 'HTTP/1.1');
    my $query = CGI->new;
    my %seen;
    my $line = "{\"form\":$number,\"parts\":[" . join(',', map { part($query, $_, \%seen) } @heads) . "]}";
    open my $received, '>>', $file or die "$file: $!";
    flock $received, LOCK_EX;
    print $received "$line\n";
    close $received;
    print $connection "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " . length($line) . "\r\n\r\n$line";
}

while (1) {
    my $connection = $listener->accept or next;
    my $child = fork;
    die "fork: $!" unless defined $child;
    if (!$child) {
        $SIG{CHLD} = 'DEFAULT';
        serve($connection);
        exit 0;
    }
    close $connection;
}
