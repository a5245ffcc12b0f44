import type { TranscriptItem } from '../../ports/transcript.ts'

/**
 * Finds where a session changed its direction, by what it did and in whatever language it spoke: a command failed and something else
 * was tried, work was undone, a dependency was removed, or the user rejected a call. The agent's message next to such a point says why.
 */
export class TurningPoints {
  /** Messages that explain why an approach was given up, and those that say what comes instead. */
  readonly givenUp = new WeakSet<object>()
  readonly chosen = new WeakSet<object>()
  /** Commands that undid work, with what had failed before. */
  readonly undone: string[] = []

  readonly #commands = new Map<string, string>()
  #lastReply: object | undefined
  #failed: string | undefined
  /** Work was given up since the last message. */
  #isGivenUp = false

  addItem(item: TranscriptItem): void {
    switch (item.kind) {
      case 'reply':
        if (this.#isGivenUp) this.givenUp.add(item)
        this.#isGivenUp = false
        this.#lastReply = item
        return
      case 'prompt':
        if (item.to === 'tool') this.#isGivenUp = true
        else this.#failed = undefined
        return
      case 'call':
        this.#addCall(item)
        return
      case 'result': {
        const command = this.#commands.get(item.id)
        this.#commands.delete(item.id)
        if (command === undefined) return
        if (!item.failed && UNDOES.test(command)) this.#giveUp(command)
        else if (item.failed) this.#failed = command
        else if (command === this.#failed) this.#failed = undefined
        return
      }
      default:
    }
  }

  #addCall({ id, action }: Extract<TranscriptItem, { kind: 'call' }>): void {
    const command = action.kind === 'shell' ? action.command.slice(0, MAX_COMMAND) : undefined
    if (command !== undefined) this.#commands.set(id, command)
    // After a failure, anything but the same command or a look around goes another way; the message before it says which.
    const isOther =
      command === undefined ? action.kind === 'write' : command !== this.#failed && CHANGES.test(command)
    if (this.#failed === undefined || !isOther || !this.#lastReply) return
    this.chosen.add(this.#lastReply)
    this.#failed = undefined
  }

  #giveUp(command: string): void {
    const line = command.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE)
    const failed = this.#failed?.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE)
    this.undone.push(`Undone with \`${line}\`${failed ? ` after \`${failed}\` failed` : ''}`)
    if (this.undone.length > MAX_UNDONE) this.undone.shift()
    if (this.#lastReply) this.givenUp.add(this.#lastReply)
    this.#isGivenUp = true
    this.#failed = undefined
  }
}

const MAX_COMMAND = 2000
const MAX_LINE = 200
const MAX_UNDONE = 40

/** Commands that take work back: files, commits, dependencies. A plain `git checkout BRANCH` moves, and takes nothing back. */
const UNDOES =
  /(?:^|[;&|]\s{0,4})(?:git\s+(?:restore\s+(?!--staged\b)|checkout\s+(?:\S{1,100}\s+)?--\s|checkout\s+\.(?:\s|$)|reset\s+(?:--hard|--merge)|revert\s|stash\s+drop|clean\s+-\w*f|am\s+--abort|merge\s+--abort|rebase\s+--abort|cherry-pick\s+--abort|worktree\s+remove|branch\s+-D)|(?:npm|pnpm|yarn|bun)\s+(?:un(?:install)?|remove|rm|un)\s|(?:pip3?|uv\s+pip|python3?\s+-m\s+pip)\s+uninstall\s|(?:cargo|poetry|uv|composer|bundle|dotnet|flutter\s+pub|dart\s+pub|mix\s+deps)(?:\s+\S{1,60})?\s+(?:remove|unlock)\s|go\s+get\s+\S{1,200}@none)/
/** Commands that change something: packages, files, settings. Reading, searching and testing are not a new direction. */
const CHANGES =
  /(?:^|[;&|]\s{0,4})(?:(?:npm|pnpm|yarn|bun)\s+(?:i|install|add)\s+\S|(?:pip3?|uv\s+pip)\s+install\s|(?:cargo|poetry|uv|composer|dotnet|go)\s+(?:add|require|get)\s|sed\s+-i|patch\s|git\s+(?:apply|revert|switch\s+-c|checkout\s+-b)|mv\s|cp\s|rm\s|mkdir\s|docker(?:[ -]compose)?\s+(?:run|up|build)|systemctl\s|export\s)/
