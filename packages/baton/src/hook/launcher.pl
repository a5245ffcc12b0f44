#!/usr/bin/perl
# Baton's hook client, written by `baton init`. It reads one hook's JSON on stdin, asks the daemon, prints
# the agent's answer and exits 0; when the daemon cannot be asked, it answers by itself with what is safe.
# It loads no module: even Socket would cost more than everything else here together.

my $PROTOCOL = '@@PROTOCOL@@';
my $HOME     = '@@HOME@@';
my $NODE     = '@@NODE@@';
my $CLI      = '@@CLI@@';
my $DAEMON   = '@@DAEMON@@';
my @FLAGS    = (@@FLAGS@@);
# agent => { event => [seconds the hook may take, safe answer, safe answer in a mode where nobody would see an ask] }
my %ANSWERS = (
@@ANSWERS@@
);
# agent => modes in which an ask would be waved through
my %UNSEEN = (
@@UNSEEN@@
);

my $FIRST_BYTE = 1;      # seconds until the daemon must have said something
my $HEARTBEAT  = 5;      # seconds between two signs of life while it waits for a person
my $START      = 5;      # seconds a daemon may take to start
my $ATTEMPTS   = 50;     # a daemon that restarts while we wait is asked again

my ($agent, $event, $source) = ('', '', 'manual');
my @rest = @ARGV;
while (@rest) {
    my $word = shift @rest;
    if    ($word eq '--source') { $source = shift @rest // 'manual' }
    elsif ($agent eq '')        { $agent = $word }
    elsif ($event eq '')        { $event = $word }
}

if ($ENV{BATON_INLINE}) {
    my @command = (node(), $CLI, 'hook', '--inline', $agent, $event, '--source', $source);
    exec { $command[0] } @command;
}

$HOME = $ENV{BATON_HOME} || $ENV{AGENTIZE_HOME} || $HOME;
$HOME = "$ENV{HOME}/$HOME" if $HOME !~ m{^/};
my $cwd = readlink('/proc/self/cwd') || $ENV{PWD} || '';

my $body = '';
my $known = $ANSWERS{$agent}{$event};
$SIG{PIPE} = 'IGNORE';
$SIG{ALRM} = sub { answer_safely('time is up') };
alarm($known ? $known->[0] : 10);

binmode STDIN;
binmode STDOUT;
while (sysread(STDIN, $body, 1 << 20, length $body)) { }
if ($event eq '' && $body =~ /"hook_event_name"\s*:\s*"([A-Za-z.]{1,64})"/) {
    $event = $1;
    $known = $ANSWERS{$agent}{$event};
    alarm($known->[0]) if $known;
}

my $call = join '-', $$, time, int(rand(1 << 30));
my $head = join '',
    "POST /hook/$agent HTTP/1.0\r\nHost: baton\r\nContent-Type: application/json\r\n",
    header('Protocol', $PROTOCOL), header('Event', $event), header('Source', $source),
    header('Request', $call), header('Cwd', $cwd), header('Home', $ENV{BATON_HOME} || $ENV{AGENTIZE_HOME}),
    header('Pane', $ENV{TMUX_PANE} && "$ENV{TMUX_PANE} " . (split /,/, $ENV{TMUX} || '')[0]),
    header('Pid', getppid), header('Path-Map', $ENV{BATON_PATH_MAP}), header('Marker', $ENV{BATON_MARKER}),
    header('Attended', $ENV{CLAUDE_CODE_SESSION_ATTENDED}),
    ($ENV{BATON_TOKEN} && $ENV{BATON_ENDPOINT} ? "Authorization: Bearer " . clean($ENV{BATON_TOKEN}) . "\r\n" : ''),
    'Content-Length: ' . length($body) . "\r\n";

my $why = 'the daemon did not answer';
for my $attempt (1 .. $ATTEMPTS) {
    my $socket = reach($attempt) or last;
    my $reply = ask($socket, $head . ($attempt > 1 ? "Baton-Retry: 1\r\n" : '') . "\r\n" . $body);
    close $socket;
    last unless defined $reply;    # hung: asking again would only double the wait
    if ($reply =~ /^HTTP\/1\.[01] 200 [^\n]*\n(?:[^\r\n][^\n]*\n)*?baton-protocol:[^\n]*\n(?:[^\r\n][^\n]*\n)*\r?\n *(\{[^\n]*\})\n$/is) {
        syswrite_all(\*STDOUT, "$1\n");
        exit 0;
    }
    if ($reply =~ /^HTTP\/1\.[01] (\d+) .*\r\n\r\n(.*)/s && $1 != 200) {
        my ($status, $text) = ($1, $2);
        $why = "the daemon refused ($status) " . ($text =~ /"message":"([^"]{0,200})/ ? $1 : '');
        last;
    }
    if ($reply ne '' && $reply !~ /^HTTP\/1\.[01] 200 .*?baton-protocol:/is) {
        $why = 'something else answered on the socket';
        last;
    }
    $why = 'the daemon died before it answered';
}
answer_safely($why);

# Connects, starting a daemon where none runs. Gives up after $START seconds.
sub reach {
    my ($attempt) = @_;
    my $socket = dial();
    return $socket if $socket;
    if ($ENV{BATON_ENDPOINT}) { $why = 'BATON_ENDPOINT cannot be reached'; return }
    start_daemon();
    for (1 .. $START * 50) {
        select(undef, undef, undef, 0.02);
        $socket = dial();
        return $socket if $socket;
    }
    $why = 'no daemon runs and none could be started';
    return;
}

sub dial {
    my $socket;
    my $endpoint = $ENV{BATON_ENDPOINT} || '';
    if ($endpoint =~ m{^http://\[?([^/\]]+?)\]?:(\d+)/?$}) {
        my $address = gethostbyname($1) or return;
        socket($socket, 2, 1, 0) or return;
        my $name = $^O eq 'linux' ? pack('S n a4 x8', 2, $2, $address) : pack('C C n a4 x8', 16, 2, $2, $address);
        return connect($socket, $name) ? $socket : undef;
    }
    # From inside the folder the socket's name is short enough for any kernel.
    my ($folder, $file) = $endpoint =~ m{^unix:(.*)/([^/]+)$} ? ($1, $2) : ($HOME, 'daemon.sock');
    chdir $folder or return;
    socket($socket, 1, 1, 0) or return;
    my $name = $^O eq 'linux' ? pack('S a108', 1, $file) : pack('C C a104', 106, 1, $file);
    return connect($socket, $name) ? $socket : undef;
}

# Returns the whole reply, an empty string when the connection broke, undef when the daemon hangs.
sub ask {
    my ($socket, $request) = @_;
    my $mask = '';
    vec($mask, fileno $socket, 1) = 1;
    my $sent = 0;
    while ($sent < length $request) {
        my $ready = $mask;
        return undef unless select(undef, $ready, undef, $FIRST_BYTE);
        my $n = syswrite($socket, $request, 16384, $sent);
        last unless defined $n;    # refused midway: the reply says why
        $sent += $n;
    }
    my ($reply, $patience) = ('', $FIRST_BYTE);
    for (;;) {
        my $ready = $mask;
        return undef unless select($ready, undef, undef, $patience);
        my $n = sysread($socket, $reply, 65536, length $reply);
        return $reply if !$n || $reply =~ /\}\n\z/;
        $patience = $HEARTBEAT;
    }
}

sub start_daemon {
    my $child = fork;
    return unless defined $child;
    if ($child) { waitpid($child, 0); return }
    setpgrp(0, 0);
    # Forked twice, so that the daemon is nobody's child and the agent never waits for it.
    exit 0 if fork;
    chdir '/';
    for my $fd (3 .. 63) { open(my $inherited, '<&=', $fd) and close $inherited }
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    for my $name (keys %ENV) {
        delete $ENV{$name} unless $name =~ /^(?:@@KEPT@@)$/;
    }
    my @command = (node(), @FLAGS, $DAEMON, "--state-dir=$HOME");
    exec { $command[0] } @command;
    exit 1;
}

# The Node that ran `baton init` may have been removed by a version manager since.
sub node { return -x $NODE ? $NODE : 'node' }

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

sub answer_safely {
    my ($reason) = @_;
    alarm 0;
    my $modes = $UNSEEN{$agent};
    my $unseen = $modes && $body =~ /"permission_mode"\s*:\s*"(?:$modes)"/;
    syswrite_all(\*STDOUT, ($known ? $known->[$unseen ? 2 : 1] : '{}') . "\n");
    my @t = gmtime;
    my $line = sprintf "%04d-%02d-%02dT%02d:%02d:%02dZ %s %s: %s; answered what is safe\n",
        $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0], clean($agent), clean($event), clean($reason);
    rename "$HOME/hook.log", "$HOME/hook.log.1" if (-s "$HOME/hook.log" || 0) > 1_000_000;
    my $mask = umask 0077;
    if (open my $log, '>>', "$HOME/hook.log") { syswrite $log, $line; close $log }
    exit 0;
}
