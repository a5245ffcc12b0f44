// A daemon that opens a session's sandbox, starts a background command in it and waits to be killed.
import { hostFiles } from '../../src/adapters/bubblewrap/files.ts'
import { SessionSandbox } from '../../src/sandbox/session-sandbox.ts'
import { testSandbox } from '../world/sandbox.ts'

const [state = '', home = '', project = '', seconds = '', impatient] = process.argv.slice(2)
const sandbox = testSandbox(state, impatient ? { seconds: 0.2, looks: 3 } : undefined)
const settings = { home, state, readable: [], writable: [], envFiles: 'hidden', identity: {} } as const
const session = await SessionSandbox.open({ sandbox, files: hostFiles() }, 'ses_killed', settings)
const call = { worktree: project, cwd: project, path: process.env.PATH ?? '' }
await session.run(call, ['/bin/sh', '-c', `sleep ${Number(seconds)} > /dev/null 2>&1 &`])
console.log('ready')
setInterval(() => undefined, 1000)
