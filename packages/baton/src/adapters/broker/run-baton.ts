import { spawn } from 'node:child_process'
import { z } from 'zod'
import type { BrokerCall, InsideSteps } from '../../ports/broker.ts'
import { followChild } from './run-program.ts'

/** A step that the command asks for, over the channel between it and the daemon. */
const Asked = z.discriminatedUnion('do', [
  z.object({ id: z.number(), do: z.literal('check'), text: z.string() }),
  z.object({ id: z.number(), do: z.literal('push'), branch: z.string(), force: z.boolean() }),
])

/** Runs Baton's own program as a child of the daemon, by which it knows that the daemon speaks for the session. */
export function runOwnProgram(
  [file = '', ...args]: readonly string[],
  { cwd, env, input }: { cwd: string; env: NodeJS.ProcessEnv; input: string },
  inside: InsideSteps,
  streams: Pick<BrokerCall, 'out' | 'err' | 'signal'>,
): Promise<number> {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe', 'ipc'] })
  child.on('message', message => {
    const asked = Asked.safeParse(message)
    if (!asked.success) return
    const { id, ...step } = asked.data
    const work = step.do === 'check' ? inside.check(step.text) : inside.push(step.branch, step.force)
    const reply = (answer: unknown) => {
      if (child.connected) child.send({ id, answer }, () => undefined)
    }
    work.then(reply, cause => reply({ error: cause instanceof Error ? cause.message : String(cause) }))
  })
  return followChild(child, file, input, streams)
}
