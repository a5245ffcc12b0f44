import { BatonError } from '@batonpass/contract/errors'
import type { InsideSteps } from '../ports/broker.ts'

/**
 * What the daemon does in the sandbox for this command, over the channel between the two. Undefined: no command in a sandbox
 * called. Setting the variable by hand only takes away: such a command shows and does less.
 */
export function insideStepsOf(env: NodeJS.ProcessEnv): InsideSteps | undefined {
  if (env.BATON_FOR_SANDBOX !== '1') return undefined
  let last = 0
  const ask = (step: object) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++last
      const gone = () =>
        reject(new BatonError('daemon_absent', 'The daemon is gone', { remedy: 'Try again.' }))
      if (!process.send || !process.connected) return gone()
      const take = (message: unknown) => {
        if (typeof message !== 'object' || !message || !('id' in message) || message.id !== id) return
        process.off('message', take)
        process.off('disconnect', gone)
        const answer = 'answer' in message ? message.answer : undefined
        const error = typeof answer === 'object' && answer && 'error' in answer ? answer.error : undefined
        if (error === undefined) resolve(answer)
        else reject(new BatonError('internal', String(error), { remedy: 'Try again.' }))
      }
      process.on('message', take)
      process.once('disconnect', gone)
      process.send({ id, ...step })
    })
  return {
    check: async text => Number(await ask({ do: 'check', text })),
    async push(branch, force) {
      const said = (await ask({ do: 'push', branch, force })) as { code: number; text: string }
      return { code: said.code, text: said.text }
    },
  }
}
