#!/usr/bin/perl
# Baton's hook client, written by `baton init`. It reads one hook's JSON on stdin, asks the daemon, prints
# the agent's answer and exits 0; when the daemon cannot be asked, it answers by itself with what is safe.
# It loads no module: even Socket would cost more than everything else here together. And it has Perl read only
# what every call needs; the rest is behind __DATA__, because reading it takes longer than asking the daemon.

my $PROTOCOL = '@@PROTOCOL@@';
my $HOME     = '@@HOME@@';
my $NODE     = '@@NODE@@';
my $CLI      = '@@CLI@@';
my $DAEMON   = '@@DAEMON@@';
my @FLAGS    = (@@FLAGS@@);
my %MEMORY   = (@@MEMORY@@);
# agent/event => seconds the hook may take, and seconds without a byte after which the daemon hangs, where they are not the usual ones
my %SECONDS = (
@@SECONDS@@
);

my $HEARTBEAT  = 5;      # seconds between two signs of life while it waits for a person
my $START      = 30;     # seconds a daemon may take to start
my $FRESH      = 5;      # seconds that the mark of a starting daemon counts
my $LONGEST    = 1 << 25; # no answer of ours is longer
my $ATTEMPTS   = 50;     # a daemon that restarts while we wait is asked again
my $REMOVED    = 120;    # seconds that Baton's files must be missing: an update only replaces them

my $REST = tell DATA;
my ($agent, $event, $source) = ('', '', 'manual');
my @rest = @ARGV;
while (@rest) {
    my $word = shift @rest;
    if    ($word eq '--source') { $source = shift @rest // 'manual' }
    elsif ($agent eq '')        { $agent = $word }
    elsif ($event eq '')        { $event = $word }
}

$HOME = $ENV{BATON_HOME} || $ENV{AGENTIZE_HOME} || $HOME;
$HOME = ($ENV{HOME} || (getpwuid $<)[7] || '') . "/$HOME" if $HOME !~ m{^/};
my $cwd = readlink('/proc/self/cwd') || $ENV{PWD} || '';

my $body = '';
$SIG{PIPE} = 'IGNORE';
$SIG{ALRM} = sub { rarely('answer_safely', 'time is up') };
$SIG{$_} = sub { rarely('answer_safely', 'ended by a signal') } for qw(TERM INT HUP);
my $silence;
set_deadline();

binmode STDIN;
binmode STDOUT;
while (sysread(STDIN, $body, 1 << 20, length $body)) { }
if ($event eq '' && $body =~ /"hook_event_name"\s*:\s*"([A-Za-z.]{1,64})"/) {
    $event = $1;
    set_deadline();
}
rarely('run_inline') if $ENV{BATON_INLINE};

my $call = join '-', $$, time, int(rand(1 << 30));
my $head = join '',
    "POST /hook/$agent HTTP/1.0\r\nHost: baton\r\nContent-Type: application/json\r\n",
    header('Protocol', $PROTOCOL), header('Event', $event), header('Source', $source),
    header('Request', $call), header('Cwd', $cwd), header('Home', $ENV{BATON_HOME} || $ENV{AGENTIZE_HOME}),
    header('Pane', $ENV{TMUX_PANE} && "$ENV{TMUX_PANE} " . (split /,/, $ENV{TMUX} || '')[0]),
    header('Pid', $ENV{CLAUDE_PID} || getppid), header('Path-Map', $ENV{BATON_PATH_MAP}), header('Marker', $ENV{BATON_MARKER}),
    header('Attended', $ENV{CLAUDE_CODE_SESSION_ATTENDED}),
    ($ENV{BATON_TOKEN} && $ENV{BATON_ENDPOINT} ? "Authorization: Bearer " . clean($ENV{BATON_TOKEN}) . "\r\n" : ''),
    'Content-Length: ' . length($body) . "\r\n";

my $why = 'the daemon did not answer';
my $busy = 0;
for my $attempt (1 .. $ATTEMPTS) {
    my $socket = dial() || rarely('reach') or last;
    my $reply = ask($socket, $head . ($attempt > 1 ? "Baton-Retry: 1\r\n" : '') . "\r\n" . $body);
    close $socket;
    last unless defined $reply;    # hung: asking again would only double the wait
    my ($top, $text) = split /\r\n\r\n/, $reply, 2;
    if ($reply eq '' || !defined $text && $top =~ /^HTTP\/1\./) { $why = 'the daemon died before it answered'; next }
    my ($status) = $top =~ /^HTTP\/1\.[01] (\d+)/;
    if ($status && $status != 200) {
        $why = "the daemon refused ($status) " . ($text =~ /"message":"([^"]{0,200})/ ? $1 : '');
        last;
    }
    if ($status && $top =~ /\r\nbaton-protocol:/i) {
        if ($text =~ /^ *(\{[^\n]*\})\n\z/) { syswrite_all(\*STDOUT, "$1\n"); exit 0 }
        if ($text =~ /^ *(?:\{[^\n]*)?\z/)  { $why = 'the daemon died before it answered'; next }
    }
    $why = 'something else answered on the socket';
    last;
}
rarely('answer_safely', $why);

sub dial {
    return rarely('dial_elsewhere') if $ENV{BATON_ENDPOINT};
    return dial_unix($HOME, 'daemon.sock');
}

# From inside the folder the socket's name is short enough for any kernel.
sub dial_unix {
    my ($folder, $file) = @_;
    $busy = 0;
    chdir $folder or return;
    socket(my $socket, 1, 1, 0) or return;
    never_block($socket);
    my $name = $^O eq 'linux' ? pack('S a108', 1, $file) : pack('C C a104', 106, 1, $file);
    return $socket if connect($socket, $name);
    $busy = would_block();
    return;
}

# fcntl(F_SETFL, O_NONBLOCK): a queue that is full must not hold us beyond the deadline.
sub never_block { fcntl($_[0], 4, $^O eq 'linux' ? 2048 : 4) }
sub would_block { return $! == ($^O eq 'linux' ? 11 : 35) }

sub set_deadline {
    my $seconds;
    ($seconds, $silence) = @{ $SECONDS{"$agent/$event"} || [10, @@SILENCE@@] };
    alarm($seconds);
}

# Returns the whole reply, an empty string when the connection broke, undef when the daemon hangs.
sub ask {
    my ($socket, $request) = @_;
    my $mask = '';
    vec($mask, fileno $socket, 1) = 1;
    my $sent = 0;
    while ($sent < length $request) {
        my $ready = $mask;
        return undef unless select(undef, $ready, undef, $silence);
        my $n = syswrite($socket, $request, 65536, $sent);
        if (defined $n) { $sent += $n }
        else { last unless would_block() }    # refused midway: the reply says why
    }
    my ($reply, $patience) = ('', $silence);
    for (;;) {
        my $ready = $mask;
        return undef unless select($ready, undef, undef, $patience);
        my $n = sysread($socket, $reply, 65536, length $reply);
        next if !defined $n && would_block();
        return $reply if !$n || $reply =~ /\}\n\z/ || length $reply > $LONGEST;
        $patience = $silence > $HEARTBEAT ? $silence : $HEARTBEAT;
    }
}

sub header {
    my ($name, $value) = @_;
    return '' if !defined $value || $value eq '';
    return "Baton-$name: " . clean($value) . "\r\n";
}

sub clean { my ($text) = @_; $text =~ s/[\x00-\x1f\x7f]/?/g; return $text }

sub syswrite_all {
    my ($to, $text) = @_;
    my $sent = 0;
    while ($sent < length $text) {
        my $n = syswrite($to, $text, length($text) - $sent, $sent);
        return unless defined $n;
        $sent += $n;
    }
}

# Loads what is rarely needed, and calls it. A signal may come while it loads: then it is read again from its start.
sub rarely {
    my ($name, @words) = @_;
    unless (defined &answer_safely) {
        local $/;
        seek DATA, $REST, 0;
        eval scalar <DATA>;
        # Nothing is left to say; the agent does as it would without Baton.
        if ($@) { syswrite STDOUT, "{}\n"; exit 0 }
    }
    return &$name(@words);
}

__DATA__
# agent => { event => [safe answer, safe answer in a mode where no one would see an ask, no opinion, the same with the
# line that says how to clean up] }
sub answers { return +{
@@ANSWERS@@
} }
# agent => modes in which an ask would be waved through
sub unseen_modes { return +{
@@UNSEEN@@
} }

# Connects after a first try failed, starting a daemon where none runs. Gives up after $START seconds.
sub reach {
    if ($ENV{BATON_ENDPOINT}) { $why = 'BATON_ENDPOINT cannot be reached'; return }
    stand_aside_if_removed() unless $busy;
    if (!-f $DAEMON) { $why = "no daemon could be started: $DAEMON is not there"; return }
    for my $turn (1 .. $START * 50) {
        if ($busy) { last if $turn > $silence * 50 }
        else {
            my $mine = claim_start();
            return unless defined $mine;
            start_daemon() if $mine;
        }
        select(undef, undef, undef, 0.02);
        my $socket = dial();
        return $socket if $socket;
    }
    $why = $busy ? 'the daemon did not answer' : 'no daemon runs and none could be started';
    return;
}

# No daemon runs, and the package was removed without `baton uninstall`: the agent works as without Baton. The file
# package-removed says since when, and package-removed.told that the person was told. A daemon that starts removes both.
sub stand_aside_if_removed {
    return unless is_missing($CLI) && is_missing($DAEMON);
    my $mark = "$HOME/package-removed";
    my $exclusive = $^O eq 'linux' ? 193 : 2561;
    my @stat = stat $mark;
    if (!@stat) { sysopen(my $made, $mark, $exclusive, 0600); return }
    return if time - $stat[9] < $REMOVED;
    alarm 0;
    my $known = answers()->{$agent}{$event};
    my $answer = $known ? $known->[2] : '{}';
    $answer = $known->[3] if $known && $known->[3] ne $answer && sysopen(my $told, "$mark.told", $exclusive, 0600);
    syswrite_all(\*STDOUT, "$answer\n");
    exit 0;
}

# ENOENT or ENOTDIR: a folder that we may not read hides the file, and it may well be there.
sub is_missing { return !defined((stat $_[0])[0]) && ($! == 2 || $! == 20) }

# BATON_ENDPOINT: a daemon on another socket, or outside this container. It is never started from here.
sub dial_elsewhere {
    my $endpoint = $ENV{BATON_ENDPOINT};
    return dial_unix($1, $2) if $endpoint =~ m{^unix:(/.*)/([^/]+)$};
    $endpoint =~ m{^http://([^/:]+):(\d+)/?$} or return;
    my ($host, $port) = ($1, $2);
    $busy = 0;
    my $address = gethostbyname($host) or return;
    socket(my $socket, 2, 1, 0) or return;
    my $name = $^O eq 'linux' ? pack('S n a4 x8', 2, $port, $address) : pack('C C n a4 x8', 16, 2, $port, $address);
    never_block($socket);
    return $socket if connect($socket, $name);
    my $mask = '';
    vec($mask, fileno $socket, 1) = 1;
    select(undef, $mask, undef, $silence);
    return getpeername($socket) ? $socket : undef;
}

# The file daemon.start says that a daemon is about to start, so that forty hooks at once start one and not forty.
# Empty: it is under way. With text: it failed, and why. True when we are the one to start it.
sub claim_start {
    my $mark = "$HOME/daemon.start";
    my $path = '';
    mkdir $path .= "/$_", 0700 for grep { length } split m{/}, $HOME;
    for (1, 2) {
        # O_WRONLY | O_CREAT | O_EXCL
        return 1 if sysopen(my $made, $mark, $^O eq 'linux' ? 193 : 2561, 0600);
        my $error = "$!";
        my @stat = stat $mark;
        if (!@stat) { $why = "no daemon could be started: the state folder cannot be written ($error)"; return }
        if (abs(time - $stat[9]) > $FRESH) { unlink $mark; next }
        return 0 unless $stat[7];
        my $reason = '';
        if (open my $file, '<', $mark) { sysread $file, $reason, 300 }
        $why = "no daemon could be started: $reason";
        return;
    }
    return 0;
}

sub start_daemon {
    my $child = fork;
    return unless defined $child;
    if ($child) { waitpid($child, 0); return }
    setpgrp(0, 0);
    # Forked twice, so that the daemon has no parent here and the agent never waits for it.
    my $daemon = fork;
    exit 0 if $daemon || !defined $daemon;
    $SIG{$_} = 'DEFAULT' for qw(PIPE TERM INT HUP ALRM);
    chdir '/';
    my @open = 3 .. 255;
    if (opendir my $listing, '/dev/fd') { @open = grep { /^\d+$/ && $_ > 2 } readdir $listing; closedir $listing }
    for my $fd (@open) { open(my $inherited, '<&=', $fd) and close $inherited }
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    for my $name (keys %ENV) {
        delete $ENV{$name} unless $name =~ /^(?:@@KEPT@@)$/;
    }
    %ENV = (%ENV, %MEMORY);
    my @command = (node(), @FLAGS, $DAEMON, "--state-dir=$HOME");
    exec { $command[0] } @command;
    # Those who wait are told at once.
    if (open my $mark, '>', "$HOME/daemon.start") { syswrite $mark, "$command[0] cannot be run: $!" }
    exit 1;
}

# Where no daemon can run, the engine runs in a process of its own for this one call.
sub run_inline {
    my $node = open(my $from, '-|');
    if (defined $node && !$node) {
        my $feeder = open(STDIN, '-|');
        if (defined $feeder && !$feeder) { syswrite_all(\*STDOUT, $body); exit 0 }
        my @command = (node(), $CLI, 'hook', '--inline', '--state-dir', $HOME, '--source', $source, '--', $agent, $event);
        open STDERR, '>', '/dev/null';
        exec { $command[0] } @command;
        exit 1;
    }
    my $text = '';
    while (defined $node && sysread($from, $text, 65536, length $text)) { }
    if ($text =~ /^\{[^\n]*\}\n\z/) { syswrite_all(\*STDOUT, $text); exit 0 }
    answer_safely('the Node client did not answer');
}

# The Node that ran `baton init` may have been removed by a version manager since.
sub node { return -x $NODE ? $NODE : 'node' }

sub answer_safely {
    my ($reason) = @_;
    alarm 0;
    my $known = answers()->{$agent}{$event};
    my $modes = unseen_modes()->{$agent};
    my $unseen = $modes && $body =~ /"permission_mode"\s*:\s*"(?:$modes)"/;
    syswrite_all(\*STDOUT, ($known ? $known->[$unseen ? 1 : 0] : '{}') . "\n");
    my @t = gmtime;
    my $line = sprintf "%04d-%02d-%02dT%02d:%02d:%02dZ %s %s: %s; answered what is safe\n",
        $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0], clean($agent), clean($event), clean($reason);
    rename "$HOME/hook.log", "$HOME/hook.log.1" if (-s "$HOME/hook.log" || 0) > 1_000_000;
    my $mask = umask 0077;
    if (open my $log, '>>', "$HOME/hook.log") { syswrite $log, $line; close $log }
    exit 0;
}

1;
