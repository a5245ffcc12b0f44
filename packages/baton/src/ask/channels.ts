import { visible } from '@batonpass/contract/visible'
import type { AnswerHandler, Channel, News } from '../ports/channel.ts'
import type { OpenAsk } from './open-ask.ts'

/** Every way to reach a person, used at once; one that fails costs the others nothing. */
export class Channels {
  readonly #channels: readonly Channel[]
  readonly #fault: (during: string, cause: unknown) => void
  #stopping = false

  constructor(channels: readonly Channel[], fault: (during: string, cause: unknown) => void) {
    this.#channels = channels
    this.#fault = fault
  }

  async start(answering: AnswerHandler): Promise<void> {
    await this.#each('starting', channel => channel.start(answering))
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#each('stopping', channel => channel.stop())
  }

  /** Resolves when every channel has been tried; those that reach a person are noted in the ask. */
  async show(open: OpenAsk): Promise<void> {
    for (const channel of this.#channels) {
      const showing = channel.show(open.ask, open.settled).then(
        seen => {
          if (seen) open.reached.add(channel.name)
        },
        cause => {
          if (!open.settled.aborted && !this.#stopping) this.#fault(`asking by ${channel.name}`, cause)
        },
      )
      open.showing.set(channel.name, showing)
    }
    await Promise.all(open.showing.values())
  }

  /** Shows how an ask ended where it was shown. */
  settle(open: OpenAsk): void {
    void this.#each('settling by', async channel => {
      await open.showing.get(channel.name)
      await channel.settle(open.ask)
    })
  }

  /** Gives the channels that told somebody. */
  async reach(given: News): Promise<string[]> {
    // A folder, a branch or an issue names itself: nothing in it may steer a terminal or turn the text around.
    const news = { ...given, text: visible(given.text) }
    const reached: string[] = []
    await this.#each('telling by', async channel => {
      if (await channel.tell?.(news)) reached.push(channel.name)
    })
    return reached
  }

  async #each(doing: string, work: (channel: Channel) => Promise<unknown>): Promise<void> {
    await Promise.all(
      this.#channels.map(async channel => {
        try {
          await work(channel)
        } catch (cause) {
          this.#fault(`${doing} ${channel.name}`, cause)
        }
      }),
    )
  }
}
