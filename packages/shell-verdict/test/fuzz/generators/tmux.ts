import fc from 'fast-check'
import { type Fuzzed, inEach, mostly, pick } from '../fuzzed.ts'

const subcommands = pick(
  ...[
    'ls',
    'list-windows',
    'list-panes',
    'has-session',
    'show-options',
    'list-clients',
    'display-message',
    'list-sessions',
    'lsw',
    'lsp',
  ],
  ...['list-commands', 'list-buffers', 'show-environment', 'capture-pane', 'info', 'show', 'has', 'lscm'],
)
const harmless = pick(
  ...[
    '-a',
    '-g',
    '-F|#{session_name}',
    '-F|#S',
    '-t|main',
    '-p',
    '-F|x#{window_index}',
    '-p|#S',
    '-F|#{pane_id} #{pane_title}',
  ],
  ...['-t|main:0', '-F|##', '-s', '-v', '-q', '-t|=main', '-p|plain text', '-F|#W'],
)
const hostile = pick(
  ...[
    ';|run-shell|./trip',
    ';|new-window|./trip',
    '-F|#(./trip)',
    'x;|run-shell|./trip',
    '-F|#{?#(./trip),1,2}',
    '--help',
  ],
  ...[
    '\\;|run-shell|./trip',
    '-F|#{E:#(./trip)}',
    '-p|#(./trip)',
    ';|send-keys|./trip|Enter',
    '-F|x#(./trip)y',
    '-F|#{l:x}#(./trip)',
  ],
  ...[
    '-F|#{s/x/#(./trip)/:session_name}',
    ';|set-hook|-g|alert-bell|run ./trip',
    '-f|#(./trip)',
    ';|if-shell|./trip|ls',
    'main;|run|./trip',
  ],
  ...[
    '{|run-shell|./trip|}',
    '-t|main|;|respawn-pane|-k|./trip',
    ';|pipe-pane|./trip',
    ';|source-file|f',
    ';|split-window|./trip',
    ';|save-buffer|out',
  ],
)

export const TMUX: Fuzzed = {
  program: 'tmux',
  args: fc
    .tuple(
      mostly(pick(''), pick('-C', '-c|./trip', '-f|f', '-v'), 30),
      mostly(
        subcommands,
        pick('run-shell|./trip', 'new-window|./trip', 'send-keys|./trip|Enter', 'source-file|f'),
        12,
      ),
      fc.array(mostly(harmless, hostile, 5), { maxLength: 3 }),
    )
    .map(([first, sub, rest]) => [
      ...['-L', 'fuzz', ...first.split('|').filter(Boolean), ...sub.split('|')],
      ...rest.flatMap(part => part.split('|')),
    ]),
  holes: {
    'a semicolon is an argument like others': args => {
      const at = args.findIndex(text => text.endsWith(';'))
      return at === -1 ? [...args] : args.slice(0, at)
    },
    'a command in a format is overlooked': inEach(text => text.replace(/#\([^)]*\)/g, '#S')),
    'a condition in a format is a name': inEach(text => text.replace(/#\{\?[^}]*\}/g, '#S')),
    'help is always harmless': args => (args.at(-1) === '--help' ? ['-L', 'fuzz', 'ls'] : [...args]),
  },
}
