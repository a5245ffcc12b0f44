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

  /**
   * Shows an ask on every channel on which it does not reach a person yet, and adds those that do to `open.reached`.
   * Resolves when every channel has been tried.
   */
  async show(open: OpenAsk): Promise<void> {
    const show = async (channel: Channel, before: Promise<unknown> | undefined) => {
      try {
        await before
        if (open.reached.has(channel.name)) return
        if (await channel.show(open.ask, open.settled)) open.reached.add(channel.name)
      } catch (cause) {
        if (!open.settled.aborted && !this.#stopping) this.#fault(`asking by ${channel.name}`, cause)
      }
    }
    for (const channel of this.#channels)
      open.showing.set(channel.name, show(channel, open.showing.get(channel.name)))
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
