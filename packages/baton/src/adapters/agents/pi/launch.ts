import type { Launches } from '../../../ports/launch.ts'

export const launches: Launches = {
  agent: 'pi',
  interactive: ({ prompt, resume }) => ({
    program: 'pi',
    args: [...(resume ? ['--session', resume] : []), ...(prompt ? [plain(prompt)] : [])],
  }),
  headless: ({ prompt, resume }) => ({
    program: 'pi',
    args: ['--print', ...(resume ? ['--session', resume] : []), plain(prompt)],
  }),
  answer: ({ model, flags = [], reads }) => ({
    program: 'pi',
    args: [
      '--print',
      ...(reads === undefined ? ['--no-tools'] : ['--tools', 'read,grep,find,ls']),
      ...['--no-session', '--no-extensions', '--no-skills', '--no-context-files'],
      ...(model ? ['--model', model] : []),
      ...flags,
    ],
    reads: reads !== undefined,
  }),
}

/** It has no `--`: a prompt that begins with a dash would be an option, and one that begins with `@` a file. */
const plain = (prompt: string): string => (/^[-@]/.test(prompt) ? ` ${prompt}` : prompt)
