import { visible } from '@batonpass/contract/visible'
import type { AnswerHandler, Channel, News } from '../ports/channel.ts'
import type { OpenAsk } from './open-ask.ts'

/** All channels, used at the same time. A failing channel does not affect the others. */
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

  /** Resolves when every channel has been tried. Adds the channels that reach a person to `open.reached`. */
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

  /** Shows the outcome of an ask everywhere it was shown. */
  settle(open: OpenAsk): void {
    void this.#each('settling by', async channel => {
      await open.showing.get(channel.name)
      await channel.settle(open.ask)
    })
  }

  /** Sends a notice and returns the names of the channels that reached a person. */
  async reach(given: News): Promise<string[]> {
    // Names of folders, branches and issues are untrusted: they must not control a terminal or reorder the text.
    const news = { ...given, text: visible(given.text) }
    const reached: string[] = []
    await this.#each('sending a notice by', async channel => {
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
