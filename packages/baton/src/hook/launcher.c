/*
 * Baton's hook client in C, compiled by `baton init` where there is a compiler. It reads one hook's JSON on stdin, asks the
 * daemon, prints the agent's answer and exits 0; when the daemon cannot be asked, it answers by itself with what is safe.
 * launcher.pl does the same, step by step, and one test suite holds both to it.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HEARTBEAT 5        /* seconds between two signs of life while it waits for a person */
#define START 30           /* seconds a daemon may take to start */
#define FRESH 5            /* seconds that the mark of a starting daemon counts */
#define LONGEST (1u << 25) /* no answer of ours is longer */
#define ATTEMPTS 50        /* a daemon that restarts while we wait is asked again */
#define REMOVED_FOR 120    /* seconds that Baton's files must be missing: an update only replaces them */

static const char *const NODE = @@NODE@@;
static const char *const CLI = @@CLI@@;
static const char *const DAEMON = @@DAEMON@@;
static const char *const KEPT = @@KEPT@@;
static const char *const FLAGS[] = {@@FLAGS@@};
static const struct { const char *name, *value; } MEMORY[] = {@@MEMORY@@};

/* `unseen`: the safe answer in a mode in which no one would see a question. `aside`: no opinion. `removed`: the same, with the
   line that says how to clean up */
static const struct { const char *agent, *event; unsigned seconds, silence; const char *safe, *unseen, *aside, *removed; } HOOKS[] = {
@@HOOKS@@
};
/* the modes in which an agent would wave a question through */
static const struct { const char *agent, *mode; } UNSEEN[] = {
@@UNSEEN@@
    {NULL, NULL},
};

struct text { char *at; size_t length, room; };

static const char *home = @@HOME@@, *agent = "", *event = "", *source = "manual";
static struct text body;
static char why[700] = "the daemon did not answer";
static int busy;
static unsigned silence = @@SILENCE@@; /* seconds until the daemon must have said something; a stop has its own */
static sigset_t while_waiting; /* signals come only while we wait: nothing is half done then */

static void answer_safely(const char *reason);

static void append(struct text *to, const char *bytes, size_t length) {
    if (to->length + length + 1 > to->room) {
        to->room = (to->length + length + 1) * 2 + 4096;
        to->at = realloc(to->at, to->room);
        if (!to->at) { to->length = 0; answer_safely("out of memory"); }
    }
    memcpy(to->at + to->length, bytes, length);
    to->length += length;
    to->at[to->length] = 0;
}

static void say(const char *format, ...) {
    va_list words;
    va_start(words, format);
    vsnprintf(why, sizeof why, format, words);
    va_end(words);
}

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static const char *joined(const char *a, const char *b, const char *c) {
    struct text path = {0};
    append(&path, a, strlen(a));
    append(&path, b, strlen(b));
    append(&path, c, strlen(c));
    return path.at;
}

/* Waits until the descriptor can be read (or written), at most so long. False when the time is over. */
static int wait_for(int fd, int for_writing, double seconds) {
    struct timespec most = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    fd_set set;
    FD_ZERO(&set);
    if (fd >= 0) FD_SET(fd, &set);
    for (;;) {
        int n = pselect(fd + 1, for_writing ? NULL : &set, for_writing ? &set : NULL, NULL, seconds < 0 ? NULL : &most, &while_waiting);
        if (n >= 0) return n > 0;
        if (errno != EINTR) return 0;
        if (fd >= 0) FD_SET(fd, &set);
    }
}

static void write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        bytes += n;
        length -= (size_t)n;
    }
}

/* The value of a string field anywhere in the payload, from its place on: NAME"\s*:\s*"VALUE". NULL when there is none. */
static const char *field(const char *from, const char *name, size_t *length) {
    const char *end = body.at + body.length;
    size_t size = strlen(name);
    while (from && from < end && (from = memmem(from, (size_t)(end - from), name, size))) {
        const char *p = from += size;
        while (p < end && isspace((unsigned char)*p)) p++;
        if (p < end && *p == ':') {
            p++;
            while (p < end && isspace((unsigned char)*p)) p++;
            const char *close = p < end && *p == '"' ? memchr(p + 1, '"', (size_t)(end - p - 1)) : NULL;
            if (close) { *length = (size_t)(close - p - 1); return p + 1; }
        }
    }
    return NULL;
}

static const char *event_in_body(void) {
    size_t length;
    for (const char *name = body.at; (name = field(name, "\"hook_event_name\"", &length));) {
        size_t i = 0;
        while (i < length && (isalpha((unsigned char)name[i]) || name[i] == '.')) i++;
        if (i == length && length >= 1 && length <= 64) return strndup(name, length);
    }
    return "";
}

static int nobody_would_see(void) {
    size_t length;
    for (const char *mode = body.at; mode && (mode = field(mode, "\"permission_mode\"", &length));)
        for (int i = 0; UNSEEN[i].agent; i++)
            if (!strcmp(UNSEEN[i].agent, agent) && strlen(UNSEEN[i].mode) == length && !memcmp(UNSEEN[i].mode, mode, length)) return 1;
    return 0;
}

static void append_clean(struct text *to, const char *value) {
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        append(to, c < 0x20 || c == 0x7f ? "?" : value, 1);
    }
}

static void answer_safely(const char *reason) {
    const char *answer = "{}";
    alarm(0);
    for (size_t i = 0; i < sizeof HOOKS / sizeof *HOOKS; i++)
        if (!strcmp(HOOKS[i].agent, agent) && !strcmp(HOOKS[i].event, event))
            answer = nobody_would_see() ? HOOKS[i].unseen : HOOKS[i].safe;
    write_all(1, answer, strlen(answer));
    write_all(1, "\n", 1);
    char at[32];
    time_t now = time(NULL);
    strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ ", gmtime(&now));
    struct text line = {0};
    append(&line, at, strlen(at));
    append_clean(&line, agent);
    append(&line, " ", 1);
    append_clean(&line, event);
    append(&line, ": ", 2);
    append_clean(&line, reason);
    append(&line, "; answered what is safe\n", 24);
    const char *log = joined(home, "/hook.log", "");
    struct stat found;
    if (stat(log, &found) == 0 && found.st_size > 1000000) rename(log, joined(log, ".1", ""));
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd >= 0) write_all(fd, line.at, line.length);
    _exit(0);
}

static void on_signal(int signal) { answer_safely(signal == SIGALRM ? "time is up" : "ended by a signal"); }

static void forget_signals(void) {
    int all[] = {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGALRM};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) signal(all[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &while_waiting, NULL);
}

static void set_deadline(void) {
    unsigned seconds = 10;
    for (size_t i = 0; i < sizeof HOOKS / sizeof *HOOKS; i++)
        if (!strcmp(HOOKS[i].agent, agent) && !strcmp(HOOKS[i].event, event)) {
            seconds = HOOKS[i].seconds;
            silence = HOOKS[i].silence;
        }
    alarm(seconds);
}

/* Reads everything, waiting for it between two reads. */
static void read_all(int fd, struct text *to) {
    static char piece[1 << 16];
    for (;;) {
        wait_for(fd, 0, -1);
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) return;
        append(to, piece, (size_t)n);
    }
}

/* From inside the folder the socket's name is short enough for any kernel. */
static int dial_unix(const char *folder, const char *file) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    busy = 0;
    if (chdir(folder) != 0 || strlen(file) >= sizeof name.sun_path) return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    strcpy(name.sun_path, file);
    /* A queue that is full must not hold us beyond the deadline. */
    fcntl(fd, F_SETFL, O_NONBLOCK);
    if (connect(fd, (struct sockaddr *)&name, sizeof name) == 0) return fd;
    busy = errno == EAGAIN;
    close(fd);
    return -1;
}

/* BATON_ENDPOINT: a daemon on another socket. It is never started from here. */
static int dial(void) {
    const char *endpoint = variable("BATON_ENDPOINT");
    if (!endpoint) return dial_unix(home, "daemon.sock");
    const char *file = strrchr(endpoint, '/');
    if (strncmp(endpoint, "unix:/", 6) != 0 || !file[1]) return -1;
    char *folder = strdup(endpoint + 5);
    folder[file - endpoint - 5] = 0;
    return dial_unix(*folder ? folder : "/", file + 1);
}

/* The whole reply, empty when the connection broke. False when the daemon hangs. */
static int ask(int fd, const struct text *request, struct text *reply) {
    static char piece[1 << 16];
    size_t sent = 0;
    while (sent < request->length) {
        ssize_t n = write(fd, request->at + sent, request->length - sent);
        if (n >= 0) sent += (size_t)n;
        else if (errno == EAGAIN) { if (!wait_for(fd, 1, silence)) return 0; }
        else if (errno != EINTR) break; /* refused midway: the reply says why */
    }
    double patience = silence;
    for (;;) {
        if (!wait_for(fd, 0, patience)) return 0;
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n <= 0) return 1;
        append(reply, piece, (size_t)n);
        if (reply->length > LONGEST || (reply->length > 1 && !memcmp(reply->at + reply->length - 2, "}\n", 2))) return 1;
        patience = silence > HEARTBEAT ? silence : HEARTBEAT;
    }
}

/* From here on a signal ends us: another answer behind this one would be worse than none. */
static void print(const char *answer, size_t length) {
    forget_signals();
    write_all(1, answer, length);
    _exit(0);
}

/* Prints the answer and exits, or says why not. True when asking again is right. */
static int read_reply(struct text *reply) {
    if (!reply->at) append(reply, "", 0);
    char *end = memmem(reply->at, reply->length, "\r\n\r\n", 4);
    char *text = end ? end + 4 : NULL;
    size_t length = text ? reply->length - (size_t)(text - reply->at) : 0;
    if (end) *end = 0;
    const char *top = reply->at;
    if (reply->length == 0 || (!text && !strncmp(top, "HTTP/1.", 7))) { say("the daemon died before it answered"); return 1; }
    int status = !strncmp(top, "HTTP/1.0 ", 9) || !strncmp(top, "HTTP/1.1 ", 9) ? atoi(top + 9) : 0;
    if (status && status != 200) {
        const char *message = strstr(text ? text : "", "\"message\":\"");
        message = message ? message + 11 : "";
        say("the daemon refused (%d) %.*s", status, (int)(strcspn(message, "\"") < 200 ? strcspn(message, "\"") : 200), message);
        return 0;
    }
    if (status && text && strcasestr(top, "\r\nbaton-protocol:")) {
        while (length > 0 && *text == ' ') { text++; length--; }
        char *line = memchr(text, '\n', length);
        if (line && line == text + length - 1 && length > 2 && *text == '{' && line[-1] == '}') {
            print(text, length);
        }
        if (!line && (length == 0 || *text == '{')) { say("the daemon died before it answered"); return 1; }
    }
    say("something else answered on the socket");
    return 0;
}

/* The Node that ran `baton init` may have been removed by a version manager since. */
static const char *node(void) { return access(NODE, X_OK) == 0 ? NODE : "node"; }

/* The file daemon.start says that a daemon is about to start, so that forty hooks at once start one and not forty. Empty: it
   is under way. With text: it failed, and why. 1 when we are the one to start it, -1 when none can be started. */
static int claim_start(const char *mark) {
    char *path = strdup(home);
    for (char *p = path + 1; ; p++) {
        if (*p != '/' && *p) continue;
        char kept = *p;
        *p = 0;
        mkdir(path, 0700);
        *p = kept;
        if (!kept) break;
    }
    for (int turn = 0; turn < 2; turn++) {
        int fd = open(mark, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (fd >= 0) { close(fd); return 1; }
        const char *error = strerror(errno);
        struct stat found;
        if (stat(mark, &found) != 0) { say("no daemon could be started: the state folder cannot be written (%s)", error); return -1; }
        long age = (long)(time(NULL) - found.st_mtime);
        if (labs(age) > FRESH) { unlink(mark); continue; }
        if (found.st_size == 0) return 0;
        char reason[301] = "";
        if ((fd = open(mark, O_RDONLY)) >= 0) { if (read(fd, reason, 300) < 0) reason[0] = 0; close(fd); }
        say("no daemon could be started: %s", reason);
        return -1;
    }
    return 0;
}

static void close_inherited(void) {
    DIR *listing = opendir("/dev/fd");
    if (!listing) { for (int fd = 3; fd < 256; fd++) close(fd); return; }
    int open_ones[1024], count = 0;
    for (struct dirent *entry; (entry = readdir(listing)) && count < 1024;)
        if (isdigit((unsigned char)*entry->d_name) && atoi(entry->d_name) > 2) open_ones[count++] = atoi(entry->d_name);
    while (count > 0) close(open_ones[--count]);
}

static void start_daemon(const char *mark) {
    pid_t child = fork();
    if (child < 0) return;
    if (child > 0) { waitpid(child, NULL, 0); return; }
    setpgid(0, 0);
    /* Forked twice, so that the daemon has no parent here and the agent never waits for it. */
    if (fork() != 0) _exit(0);
    forget_signals();
    close_inherited();
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(null, fd);
    if (null > 2) close(null);
    regex_t kept;
    extern char **environ;
    size_t count = 0;
    if (regcomp(&kept, KEPT, REG_EXTENDED | REG_NOSUB) == 0)
        for (char **pair = environ; *pair; pair++) {
            char *name = strndup(*pair, strcspn(*pair, "="));
            if (regexec(&kept, name, 0, NULL, 0) == 0) environ[count++] = *pair;
        }
    environ[count] = NULL;
    for (size_t i = 0; i < sizeof MEMORY / sizeof *MEMORY; i++) setenv(MEMORY[i].name, MEMORY[i].value, 1);
    const char *command[sizeof FLAGS / sizeof *FLAGS + 4];
    size_t words = 0;
    command[words++] = node();
    for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++) command[words++] = FLAGS[i];
    command[words++] = DAEMON;
    command[words++] = joined("--state-dir=", home, "");
    command[words] = NULL;
    if (chdir("/") == 0) execvp(command[0], (char *const *)command);
    /* Those who wait are told at once. */
    const char *error = joined(command[0], " cannot be run: ", strerror(errno));
    int fd = open(mark, O_WRONLY | O_TRUNC);
    if (fd >= 0) write_all(fd, error, strlen(error));
    _exit(1);
}

static int is_missing(const char *path) {
    struct stat found;
    return stat(path, &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* No daemon runs, and the package was removed without `baton uninstall`: the agent works as without Baton. The file
   package-removed says since when, and package-removed.told that the person was told. A daemon that starts removes both. */
static void stand_aside_if_removed(void) {
    if (!is_missing(CLI) || !is_missing(DAEMON)) return;
    const char *mark = joined(home, "/package-removed", "");
    struct stat found;
    int fd;
    if (stat(mark, &found) != 0) {
        if ((fd = open(mark, O_WRONLY | O_CREAT | O_EXCL, 0600)) >= 0) close(fd);
        return;
    }
    if (time(NULL) - found.st_mtime < REMOVED_FOR) return;
    const char *answer = "{}";
    alarm(0);
    for (size_t i = 0; i < sizeof HOOKS / sizeof *HOOKS; i++) {
        if (strcmp(HOOKS[i].agent, agent) || strcmp(HOOKS[i].event, event)) continue;
        answer = HOOKS[i].aside;
        if (!strcmp(HOOKS[i].removed, answer)) continue;
        if ((fd = open(joined(mark, ".told", ""), O_WRONLY | O_CREAT | O_EXCL, 0600)) < 0) continue;
        close(fd);
        answer = HOOKS[i].removed;
    }
    print(joined(answer, "\n", ""), strlen(answer) + 1);
}

/* Connects after a first try failed, starting a daemon where none runs. Gives up after START seconds. */
static int reach(void) {
    if (variable("BATON_ENDPOINT")) { say("BATON_ENDPOINT cannot be reached"); return -1; }
    struct stat found;
    if (!busy) stand_aside_if_removed();
    if (stat(DAEMON, &found) != 0 || !S_ISREG(found.st_mode)) { say("no daemon could be started: %.500s is not there", DAEMON); return -1; }
    const char *mark = joined(home, "/daemon.start", "");
    for (int turn = 1; turn <= START * 50; turn++) {
        if (busy) { if (turn > (int)silence * 50) break; }
        else {
            int mine = claim_start(mark);
            if (mine < 0) return -1;
            if (mine) start_daemon(mark);
        }
        wait_for(-1, 0, 0.02);
        int fd = dial();
        if (fd >= 0) return fd;
    }
    say(busy ? "the daemon did not answer" : "no daemon runs and none could be started");
    return -1;
}

/* What C has no need to do by itself: the engine in a process of its own, or a daemon on another machine. */
static void run_node(int is_inline, const char *cwd) {
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0) answer_safely("no pipe could be made");
    pid_t child = fork();
    if (child == 0) {
        forget_signals();
        char launcher[24];
        snprintf(launcher, sizeof launcher, "%d", (int)getppid());
        /* A Node client whose launcher was ended goes, too. */
        setenv("BATON_LAUNCHER", launcher, 1);
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (int i = 0; i < 2; i++) { close(in[i]); close(out[i]); }
        int null = open("/dev/null", O_WRONLY);
        if (null >= 0) dup2(null, 2);
        const char *command[] = {node(), CLI, "hook", "--state-dir", home, "--source", source, is_inline ? "--inline" : "--", is_inline ? "--" : agent, is_inline ? agent : event, is_inline ? event : NULL, NULL};
        if (chdir(cwd) != 0) setenv("PWD", cwd, 1);
        execvp(command[0], (char *const *)command);
        _exit(1);
    }
    close(in[0]);
    close(out[1]);
    if (fork() == 0) { close(out[0]); write_all(in[1], body.at, body.length); _exit(0); }
    close(in[1]);
    struct text reply = {0};
    read_all(out[0], &reply);
    if (reply.length > 2 && reply.at[0] == '{' && memchr(reply.at, '\n', reply.length) == reply.at + reply.length - 1 && reply.at[reply.length - 2] == '}') {
        print(reply.at, reply.length);
    }
    answer_safely("the Node client did not answer");
}

static void header(struct text *head, const char *name, const char *value) {
    if (!value || !*value) return;
    append(head, "Baton-", 6);
    append(head, name, strlen(name));
    append(head, ": ", 2);
    append_clean(head, value);
    append(head, "\r\n", 2);
}

static void write_head(struct text *head, const char *cwd) {
    struct timespec now;
    char call[80], pid[24], length[64];
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(call, sizeof call, "%d-%lld-%ld", (int)getpid(), (long long)now.tv_sec, now.tv_nsec);
    snprintf(pid, sizeof pid, "%d", (int)getppid());
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", body.length);
    append(head, "POST /hook/", 11);
    append_clean(head, agent);
    const char *fixed = " HTTP/1.0\r\nHost: baton\r\nContent-Type: application/json\r\nBaton-Protocol: @@PROTOCOL@@\r\n";
    append(head, fixed, strlen(fixed));
    header(head, "Event", event);
    header(head, "Source", source);
    header(head, "Request", call);
    header(head, "Cwd", cwd);
    header(head, "Home", variable("BATON_HOME") ? variable("BATON_HOME") : variable("AGENTIZE_HOME"));
    const char *pane = variable("TMUX_PANE"), *tmux = getenv("TMUX");
    if (pane) header(head, "Pane", joined(pane, " ", strndup(tmux ? tmux : "", strcspn(tmux ? tmux : "", ","))));
    header(head, "Pid", variable("CLAUDE_PID") ? variable("CLAUDE_PID") : pid);
    header(head, "Path-Map", getenv("BATON_PATH_MAP"));
    header(head, "Marker", getenv("BATON_MARKER"));
    header(head, "Attended", getenv("CLAUDE_CODE_SESSION_ATTENDED"));
    append(head, length, strlen(length));
}

int main(int count, char **words) {
    for (int i = 1; i < count; i++) {
        if (!strcmp(words[i], "--source")) source = i + 1 < count ? words[++i] : "manual";
        else if (!*agent) agent = words[i];
        else if (!*event) event = words[i];
    }
    if (variable("BATON_HOME")) home = variable("BATON_HOME");
    else if (variable("AGENTIZE_HOME")) home = variable("AGENTIZE_HOME");
    if (*home != '/') home = joined(variable("HOME") ? variable("HOME") : "", "/", home);
    static char here[1 << 16];
    ssize_t length = readlink("/proc/self/cwd", here, sizeof here - 1);
    const char *cwd = length > 0 ? here : getcwd(here, sizeof here) ? here : variable("PWD") ? variable("PWD") : "";

    struct sigaction action = {.sa_handler = on_signal};
    int ours[] = {SIGALRM, SIGTERM, SIGINT, SIGHUP};
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < 4; i++) sigaddset(&held, ours[i]);
    action.sa_mask = held;
    for (int i = 0; i < 4; i++) sigaction(ours[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &held, NULL);
    sigemptyset(&while_waiting);
    set_deadline();

    append(&body, "", 0);
    read_all(0, &body);
    if (!*event) {
        event = event_in_body();
        set_deadline();
    }
    const char *endpoint = variable("BATON_ENDPOINT");
    if (variable("BATON_INLINE")) run_node(1, cwd);
    if (endpoint && !strncmp(endpoint, "http:", 5)) run_node(0, cwd);

    struct text head = {0};
    write_head(&head, cwd);
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        int fd = dial();
        if (fd < 0 && (fd = reach()) < 0) break;
        struct text request = {0}, reply = {0};
        append(&request, head.at, head.length);
        if (attempt > 1) append(&request, "Baton-Retry: 1\r\n", 16);
        append(&request, "\r\n", 2);
        append(&request, body.at, body.length);
        int answered = ask(fd, &request, &reply);
        close(fd);
        /* Hung: asking again would only double the wait. */
        if (!answered) { say("the daemon did not answer"); break; }
        if (!read_reply(&reply)) break;
        free(request.at);
        free(reply.at);
    }
    answer_safely(why);
}
