import { BatonError } from '@batonpass/contract/errors'
import type { MemberView } from '@batonpass/contract/fleet'
import type { Clock } from '../ports/clock.ts'
import type { FleetBoard, SignedText } from '../ports/fleet-board.ts'
import { KeyedQueue } from '../session/keyed-queue.ts'
import { joinToken, readJoinToken } from './join-token.ts'
import { applyStatement, emptyFile, type Member, type MembershipFile, withMember } from './membership-file.ts'
import {
  digestOf,
  isTooLong,
  keyOf,
  type MachineKey,
  newKey,
  readStatement,
  type Statement,
  signText,
} from './signed-statement.ts'

const TOKEN_MS = 15 * 60_000
/** How long a machine waits until the one that gave the token lets it in; that one looks every few seconds. */
const JOIN_MS = 60_000
const LOOK_MS = 500
/** At most this many pages of statements at a time. The next look continues there. */
const MOST_PAGES = 20
/** Rows that no member signed are read again after this time: a row may get a lower number than theirs. */
const AGAIN_MS = 60_000

export interface MembershipPorts {
  board: FleetBoard
  file: { read(): Promise<MembershipFile | undefined>; write(file: MembershipFile): Promise<void> }
  /** This machine's id, stored from now on, and what people call it. */
  machine(): Promise<{ id: string; name: string }>
  journal(what: 'founded' | 'joined' | 'admitted' | 'removed-machine', reason: string): Promise<void>
  /** Tells people on their channels, in the background. */
  announce(text: string): void
  clock: Pick<Clock, 'now'>
  pause(ms: number): Promise<void>
}

/** How far the statements were read in this process. Only those of members move the number that is stored. */
interface Position {
  after: number
  /** When reading began at the stored number. */
  since: number
  hasEnded: boolean
}

export type Answer = Extract<Statement, { kind: 'answer' }>

/**
 * Who belongs to the fleet. The chain of trust starts at the founder's key, which a joining machine gets in its token: each
 * machine is signed by a member, and each removal too (docs/decisions/0016-fleet-keys.md).
 */
export class Membership {
  readonly #ports: MembershipPorts
  readonly #turns = new KeyedQueue()
  #file: Promise<MembershipFile | undefined> | undefined
  /** What was last read, for callers that cannot wait. */
  #known: MembershipFile | undefined
  #position: Position | undefined
  #hasStopped = false
  /** Called in the order of the statements, for those that a member has signed. */
  onAnswer: ((answer: Answer, from: Member, signature: string) => Promise<void>) | undefined

  constructor(ports: MembershipPorts) {
    this.#ports = ports
  }

  /** What is being read ends after its current page. */
  stop(): void {
    this.#hasStopped = true
  }

  /** As of the last look; no database is asked. */
  async standing(): Promise<'member' | 'removed' | 'none'> {
    const file = await this.#read()
    if (!file) return 'none'
    const { key } = keyOf(file.secret)
    if (file.removed.includes(key)) return 'removed'
    return file.members.some(member => member.key === key) ? 'member' : 'none'
  }

  /** Whether the machine with this id is a member, as of the last look. */
  isMember(machine: string): boolean {
    return this.#known?.members.some(member => member.machine === machine) ?? false
  }

  memberWith(key: string): Member | undefined {
    return this.#known?.members.find(member => member.key === key)
  }

  async views(): Promise<MemberView[]> {
    const file = await this.#read()
    const own = file && keyOf(file.secret).key
    return (file?.members ?? []).map(({ machine, name, key }) => ({
      ...{ id: machine, name, key },
      isHere: key === own,
      isFounder: key === file?.fleet,
    }))
  }

  /** Whether a machine may want to use a token that this one gave. */
  async hasTokens(): Promise<boolean> {
    const now = this.#ports.clock.now()
    return (await this.#read())?.tokens.some(({ until, usedBy }) => until > now && !usedBy) ?? false
  }

  /** Makes this machine a member if there is no fleet yet. Fails if there is one that it does not belong to. */
  async ensure(): Promise<void> {
    await this.refresh()
    const standing = await this.standing()
    if (standing === 'member') return
    if (standing === 'none' && (await this.#found('if-first'))) return
    throw notMember(standing)
  }

  /** Founds another fleet in the same database: this machine leaves the one it was in. */
  async foundAgain(): Promise<void> {
    await this.#found('always')
  }

  async #found(when: 'if-first' | 'always'): Promise<boolean> {
    return this.#turns.run('file', async () => {
      const own = newKey()
      const fleet = own.key
      const { id: machine, name } = await this.#ports.machine()
      const statement = this.#sign(own, { kind: 'founded', fleet, machine, name })
      const { board } = this.#ports
      if (when === 'always') await board.append(fleet, statement)
      else if (!(await board.found(fleet, statement))) return false
      this.#position = undefined
      await this.#write({ ...emptyFile(own, fleet), members: [{ machine, name, key: own.key }] })
      await this.#ports.journal('founded', `This machine (${name}) founded the fleet ${fleet}`)
      return true
    })
  }

  /** A token with which one other machine can join within 15 minutes. It is stored nowhere. */
  async giveToken(): Promise<{ token: string; until: string }> {
    await this.ensure()
    return this.#turns.run('file', async () => {
      const file = await this.#own()
      const invite = newKey()
      const now = this.#ports.clock.now()
      const until = now + TOKEN_MS
      const tokens = file.tokens.filter(each => each.until > now - TOKEN_MS)
      await this.#write({ ...file, tokens: [...tokens, { key: invite.key, until }] })
      return { token: joinToken(file.fleet, invite.secret), until: new Date(until).toISOString() }
    })
  }

  /** Asks the machine that gave the token to let this one in, and waits for it. */
  async join(token: string): Promise<void> {
    const { fleet, secret } = readJoinToken(token)
    await this.refresh().catch(() => {})
    const before = await this.#read()
    if (before?.fleet === fleet && (await this.standing()) === 'member')
      throw new BatonError('usage', 'This machine belongs to the fleet already')
    await this.#turns.run('file', async () => {
      const { board, pause } = this.#ports
      const own = newKey()
      const { id: machine, name } = await this.#ports.machine()
      const invite = keyOf(secret)
      const request = this.#sign(invite, { kind: 'joining', fleet, machine, name, key: own.key })
      await board.append(fleet, request)
      let file = emptyFile(own, fleet)
      const position = this.#from(file)
      for (let waited = 0; ; waited += LOOK_MS) {
        file = await this.#follow(file, position, 'only-members')
        if (file.members.some(member => member.key === own.key)) break
        if (this.#hasStopped) throw new BatonError('daemon_busy', 'The daemon is stopping')
        if (waited >= JOIN_MS)
          throw new BatonError('timed_out', 'The machine that gave the token did not let this one in', {
            remedy:
              'A token works once, for 15 minutes, while that machine runs Baton. Run `baton fleet token` there again.',
          })
        await pause(LOOK_MS)
      }
      this.#position = undefined
      await this.#write(file)
      await this.#ports.journal('joined', `This machine (${name}) joined the fleet ${fleet}`)
    })
  }

  /** Removes a machine by its key, its id or its name. Machines choose their names and ids, so an exact key wins. */
  async remove(wanted: string): Promise<MemberView> {
    await this.refresh()
    const views = await this.views()
    const withKey = views.filter(({ key }) => key === wanted)
    const found =
      withKey.length > 0 ? withKey : views.filter(({ name, id }) => name === wanted || id === wanted)
    const [member] = found
    if (!member) throw new BatonError('not_found', `No machine ${wanted} in the fleet`, { remedy: LIST })
    if (found.length > 1)
      throw new BatonError('usage', `Several machines are called ${wanted}`, {
        remedy: `Use the key: ${found.map(({ key }) => key).join(', ')}.`,
      })
    if (member.isFounder)
      throw new BatonError('not_allowed', 'The founder cannot be removed: all trust starts at its key', {
        remedy:
          'Run `baton fleet found` on another machine and let the others join it; then revoke the database login of the old one.',
      })
    await this.sign(({ fleet }) => ({ kind: 'removed', fleet, key: member.key }))
    await this.#ports.journal('removed-machine', `The machine ${member.name} was removed from the fleet`)
    await this.refresh()
    // Another member may have removed this machine first: then the others do not count what it signed.
    const standing = await this.standing()
    if (standing !== 'member' && !member.isHere) throw notMember(standing)
    return member
  }

  /** Signs a statement with this machine's key and adds it to the board. It counts here at once. Returns its signature. */
  async sign(make: (file: { fleet: string }) => Unsigned): Promise<string> {
    return this.#turns.run('file', async () => {
      const file = await this.#own()
      const own = keyOf(file.secret)
      const statement = make(file)
      const signed = this.#sign(own, statement)
      if (isTooLong(signed.text))
        throw new BatonError('usage', 'This is too long for the other machines to read')
      await this.#ports.board.append(file.fleet, signed)
      await this.#write(applyStatement(file, { ...statement, by: own.key } as Statement))
      return signed.signature
    })
  }

  /** Signs a text with this machine's key; undefined if this machine is not a member. */
  async signOwn(make: (own: Member & { fleet: string }) => string): Promise<SignedText | undefined> {
    const file = await this.#read()
    if (!file) return undefined
    const own = file.members.find(({ key }) => key === keyOf(file.secret).key)
    return own && signText(make({ ...own, fleet: file.fleet }), keyOf(file.secret))
  }

  async fleet(): Promise<string | undefined> {
    return (await this.#read())?.fleet
  }

  /** Reads what is new. */
  async refresh(): Promise<void> {
    await this.#turns.run('file', async () => {
      const file = await this.#read()
      if (!file) return
      const known = this.#position
      const age = this.#ports.clock.now() - (known?.since ?? 0)
      const isOld = known?.hasEnded && (age > AGAIN_MS || age < 0)
      const position = known && !isOld ? known : this.#from(file)
      // If this fails, what was read but not stored is read again.
      this.#position = undefined
      await this.#follow(file, position, 'everything')
      this.#position = position
    })
  }

  /** Begins at the last statement of a member, to see whether it is still there. */
  #from({ seq, digest }: MembershipFile): Position {
    return { after: digest === undefined ? 0 : seq - 1, since: this.#ports.clock.now(), hasEnded: false }
  }

  /**
   * Applies the new statements in their order; each is judged by who is a member at that moment. Applying one again changes
   * nothing: if the database was restored or is another one, all are read again, and removals stay.
   */
  async #follow(
    start: MembershipFile,
    position: Position,
    what: 'everything' | 'only-members',
  ): Promise<MembershipFile> {
    let file = start
    position.hasEnded = false
    for (let page = 0; page < MOST_PAGES && !this.#hasStopped; page++) {
      let rows = await this.#ports.board.statements(file.fleet, position.after)
      if (file.digest !== undefined && position.after < file.seq) {
        const [last, ...rest] = rows
        if (last?.seq !== file.seq || digestOf(last.text) !== file.digest) {
          file = { ...file, seq: 0, digest: undefined }
          position.after = 0
          continue
        }
        position.after = last.seq
        rows = rest
      }
      for (const row of rows) {
        const statement = readStatement(row)
        if (statement?.fleet === file.fleet) {
          const before = file
          file = applyStatement(file, statement)
          if (what === 'everything') file = await this.#act(file, statement, row)
          if ([before, file].some(({ members }) => members.some(({ key }) => key === statement.by)))
            file = { ...file, seq: row.seq, digest: digestOf(row.text) }
        }
        position.after = row.seq
      }
      if (what === 'everything' && file !== start) await this.#write(file)
      position.hasEnded = rows.length === 0
      if (position.hasEnded) break
    }
    return file
  }

  /** What only this machine does about a statement. It may be repeated after a crash. */
  async #act(file: MembershipFile, statement: Statement, row: SignedText): Promise<MembershipFile> {
    if (statement.kind === 'answer') {
      const from = file.members.find(({ key }) => key === statement.by)
      if (from) await this.onAnswer?.(statement, from, row.signature)
    }
    if (statement.kind !== 'joining') return file
    const own = keyOf(file.secret)
    if (!file.members.some(({ key }) => key === own.key)) return file
    const now = this.#ports.clock.now()
    const { machine, name, key } = statement
    // A copy of a request that was granted.
    if (file.removed.includes(key) || file.members.some(member => member.key === key)) return file
    const token = file.tokens.find(each => each.key === statement.by)
    const isFree = token && token.until > now && token.usedBy === undefined
    if (!token || !(isFree || token.usedBy === key)) return file
    // Stored before the machine is let in: no other key can use the token after a crash.
    const tokens = file.tokens.map(each => (each === token ? { ...token, usedBy: key } : each))
    const used = { ...file, tokens }
    await this.#write(used)
    const { fleet } = file
    await this.#ports.board.append(fleet, this.#sign(own, { kind: 'member', fleet, machine, name, key }))
    const reason = `The machine ${name} joined the fleet with a token of this one`
    await this.#ports.journal('admitted', reason)
    this.#ports.announce(`${reason}. If you did not expect it: \`baton fleet remove ${key}\`.`)
    return withMember(used, { machine, name, key })
  }

  #sign(own: MachineKey, statement: Unsigned): SignedText {
    const at = new Date(this.#ports.clock.now()).toISOString()
    return signText(JSON.stringify({ ...statement, by: own.key, at }), own)
  }

  async #own(): Promise<MembershipFile> {
    const file = await this.#read()
    const standing = await this.standing()
    if (!file || standing !== 'member') throw notMember(standing)
    return file
  }

  async #read(): Promise<MembershipFile | undefined> {
    this.#file ??= this.#ports.file.read()
    this.#known = await this.#file
    return this.#known
  }

  async #write(file: MembershipFile): Promise<void> {
    await this.#ports.file.write(file)
    this.#file = Promise.resolve(file)
    this.#known = file
  }
}

type WithoutCommon<T> = T extends unknown ? Omit<T, 'by' | 'at'> : never
export type Unsigned = WithoutCommon<Statement>

const LIST = 'See `baton fleet status`.'

const notMember = (standing: 'removed' | 'none' | 'member') =>
  new BatonError(
    'not_allowed',
    standing === 'removed'
      ? 'This machine was removed from the fleet'
      : 'This machine does not belong to the fleet of this database',
    {
      remedy: 'Run `baton fleet token` on a machine of the fleet, then `baton fleet join` here.',
    },
  )
