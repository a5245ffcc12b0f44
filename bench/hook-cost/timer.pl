# Starts programs and says how long each took, from fork to exit. Node's own spawn costs more than /bin/true
# itself and would hide what is measured; a small Perl process forks as cheaply as a shell does.
# One line of stdin is one order, its fields separated by \x1f:
#   callers, calls of each, file for stdin (%d: the caller's number), KEY=value ..., --, program, arguments ...
# One line of stdout is the outcome: microseconds of the whole, calls that failed, microseconds of each other call ...
use strict;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
use POSIX ();
$| = 1;

while (my $line = <STDIN>) {
    chomp $line;
    my ($callers, $calls, $stdin, @rest) = split /\x1f/, $line;
    local %ENV = %ENV;
    while ((my $word = shift @rest) ne '--') {
        my ($name, $value) = split /=/, $word, 2;
        $ENV{$name} = $value;
    }
    my $began = clock_gettime(CLOCK_MONOTONIC);
    my @took = $callers == 1 ? series(0, $calls, $stdin, @rest) : together($callers, $calls, $stdin, @rest);
    my $whole = clock_gettime(CLOCK_MONOTONIC) - $began;
    print join(' ', int($whole * 1e6), scalar(grep { $_ < 0 } @took), grep { $_ >= 0 } @took), "\n";
}

sub together {
    my ($callers, @order) = @_;
    my @pipes;
    for my $number (0 .. $callers - 1) {
        pipe(my $read, my $write) or die $!;
        my $child = fork;
        die $! unless defined $child;
        if (!$child) {
            syswrite $write, join ' ', series($number, @order);
            POSIX::_exit(0);
        }
        close $write;
        push @pipes, $read;
    }
    my @took;
    for my $pipe (@pipes) {
        local $/;
        push @took, split / /, scalar <$pipe>;
    }
    1 while wait > 0;
    return @took;
}

sub series {
    my ($number, $calls, $stdin, @command) = @_;
    $stdin =~ s/%d/$number/;
    return map { call($stdin, @command) } 1 .. $calls;
}

sub call {
    my ($stdin, @command) = @_;
    my $start = clock_gettime(CLOCK_MONOTONIC);
    my $child = fork;
    die $! unless defined $child;
    if (!$child) {
        open STDIN, '<', $stdin;
        open STDOUT, '>', '/dev/null';
        exec { $command[0] } @command;
        POSIX::_exit(127);
    }
    waitpid $child, 0;
    return $? ? -1 : int((clock_gettime(CLOCK_MONOTONIC) - $start) * 1e6);
}
