import { createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createProxy, type Socket } from 'node:net'
import type { AnswerRequest, AskKind } from '@batonpass/contract/ask'
import type { AskedQuestion } from '@batonpass/contract/question'
import { expect, it } from 'vitest'
import { askRoutes } from '../../src/daemon/ask-routes.ts'
import { requestListener } from '../../src/daemon/request-listener.ts'
import { askWorld, sampleQuestion } from '../ask/sample.ts'
import { settled } from '../world/time.ts'

const COUNT = 1000
/** How many pages send an answer at the same time. */
const AT_ONCE = 40
const never = { signal: new AbortController().signal, withinMs: 60_000, unreached: 'wait' } as const

type Answer = Pick<AnswerRequest, 'option' | 'replies' | 'reason'>

const offered = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
]
const reply = (more: object): Answer => ({ option: 'reply', replies: [{ question: 'which', ...more }] })
const question = (more: Partial<AskedQuestion>): AskedQuestion[] => [
  { id: 'which', kind: 'text', text: 'Which?', ...more },
]

/** Each kind of ask, with two different answers. */
const KINDS: { kind: AskKind; questions?: AskedQuestion[]; answers: [Answer, Answer] }[] = [
  { kind: 'permission', answers: [{ option: 'allow-once' }, { option: 'deny-with-reason', reason: 'no' }] },
  { kind: 'confirm', answers: [{ option: 'yes' }, { option: 'no' }] },
  { kind: 'plan', answers: [{ option: 'approve' }, { option: 'send-back', reason: 'add a step' }] },
  {
    kind: 'question',
    questions: question({ kind: 'choice', choices: offered }),
    answers: [reply({ chosen: ['a'] }), reply({ chosen: ['b'] })],
  },
  {
    kind: 'question',
    questions: question({ kind: 'multi-choice', choices: offered }),
    answers: [reply({ chosen: ['a', 'b'] }), { option: 'decline' }],
  },
  {
    kind: 'question',
    questions: question({}),
    answers: [reply({ words: 'this' }), reply({ words: 'that' })],
  },
  {
    kind: 'form',
    questions: question({ kind: 'number', min: 1 }),
    answers: [reply({ words: '3' }), { option: 'on-screen' }],
  },
]

/** The same cuts in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** A network that cuts connections: before the request arrives, or before the response does. */
async function cutNetwork(port: number) {
  const next = randomNumbers(7)
  const cuts = { before: 0, after: 0 }
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    return socket
  }
  const proxy = createProxy(page => {
    keep(page)
    if (next() < 0.3) {
      cuts.before++
      page.destroy()
      return
    }
    const daemon = keep(connect(port, '127.0.0.1'))
    page.pipe(daemon)
    if (next() < 0.3) {
      // The daemon has answered, but the page does not learn it.
      daemon.once('data', () => {
        cuts.after++
        page.destroy()
        daemon.destroy()
      })
    } else daemon.pipe(page)
    page.on('close', () => daemon.destroy())
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  return {
    port: (proxy.address() as AddressInfo).port,
    cuts,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => proxy.close(resolve))
    },
  }
}

/** One request on a connection of its own; rejects if the network cuts it. */
const post = (port: number, path: string, body: string) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ port, path, host: '127.0.0.1', method: 'POST', agent: false }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })

it('1,000 asks are each answered exactly once, although the network between page and daemon is cut all the time', {
  timeout: 480_000,
}, async () => {
  await using world = await askWorld()
  const asks = await world.begin()
  const app = askRoutes(asks, async () => ({ channel: 'dashboard', who: 'ann' }))
  await using daemon = {
    server: createServer(requestListener(app.fetch)),
    async [Symbol.asyncDispose]() {
      await new Promise(resolve => daemon.server.close(resolve))
    },
  }
  await new Promise<void>(resolve => daemon.server.listen(0, '127.0.0.1', resolve))
  await using network = await cutNetwork((daemon.server.address() as AddressInfo).port)
  const kindOf = (index: number) => KINDS[index % KINDS.length] ?? expect.fail('no kind')
  const waiting = Array.from({ length: COUNT }, (_, index) => {
    const { kind, questions } = kindOf(index)
    return asks.ask(sampleQuestion(`ask${index}`, { kind, ...(questions ? { questions } : {}) }), never)
  })
  await settled()
  const open = asks.open()
  expect(open).toHaveLength(COUNT)

  /** One answer of a page, which tries again until it knows what became of it. */
  const answerFromPage = async (
    id: string,
    fingerprint: string,
    answer: Answer,
  ): Promise<'counted' | 'closed'> => {
    const body = JSON.stringify({ ...answer, fingerprint })
    for (;;) {
      const response = await post(network.port, `/api/asks/${id}/answer`, body).catch(() => undefined)
      if (!response) continue
      if (response.status === 200) return 'counted'
      expect(JSON.parse(response.text).error.code).toBe('ask_closed')
      return 'closed'
    }
  }
  // Two pages answer every ask differently at the same time.
  const byTitle = new Map(open.map(ask => [ask.key, ask]))
  const answers = Array.from({ length: COUNT }, (_, index) => {
    const ask = byTitle.get(`evt_ask${index}`) ?? expect.fail(`no ask ${index}`)
    return kindOf(index).answers.map(answer => () => answerFromPage(ask.id, ask.fingerprint, answer))
  }).flat()
  const results: string[] = []
  const pages = Array.from({ length: AT_ONCE }, async () => {
    for (let work = answers.shift(); work; work = answers.shift()) results.push(await work())
  })
  await Promise.all(pages)

  const outcomes = await Promise.all(waiting)
  const stored = new Map((await asks.recent(COUNT)).map(ask => [ask.id, ask]))
  expect(asks.open()).toEqual([])
  expect(stored.size).toBe(COUNT)
  for (const [index, { ask, result }] of outcomes.entries()) {
    expect(result).toBe('answered')
    // What the agent received is what is stored, and it is one of the two.
    expect(stored.get(ask.id)?.answer).toEqual(ask.answer)
    const { by: _, at: __, ...given } = ask.answer ?? expect.fail('no answer')
    expect(kindOf(index).answers).toContainEqual(given)
  }
  const answered = world.entries.flatMap(({ body }) =>
    body.kind === 'ask' && body.what === 'answered' ? body.ask : [],
  )
  expect(answered).toHaveLength(COUNT)
  expect(new Set(answered).size).toBe(COUNT)
  // At most one page knows that its answer counted; the network did cut, on both ways.
  expect(results).toHaveLength(2 * COUNT)
  expect(results.filter(each => each === 'counted').length).toBeLessThanOrEqual(COUNT)
  expect(Math.min(network.cuts.before, network.cuts.after)).toBeGreaterThan(COUNT / 4)
})
