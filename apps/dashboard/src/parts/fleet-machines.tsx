import type { FleetSession, FleetStatus, MachineView } from '@batonpass/contract/fleet'
import { visibleText } from '../invisible.ts'
import { Ago } from '../time.tsx'
import { WATCH_STATES } from '../watch.ts'
import { agentTitle, folderName } from '../words.ts'
import { budgetWords } from './fleet-figures.ts'
import { Tag } from './tag.tsx'

type Machine = Pick<MachineView, 'mode' | 'slots' | 'busy' | 'agents' | 'budget'> & {
  id: string
  name: string
  isHere: boolean
  /** Undefined: it has the queue for itself. */
  shared?: Pick<MachineView, 'isAlive' | 'isMember' | 'until'>
}

/** Every machine with its slots, its agents and what its workflows used today. */
export function Machines({ status }: { status: FleetStatus }) {
  const { machines, members } = status
  const all: Machine[] =
    machines.length > 0
      ? machines.map(each => ({ ...each, shared: each }))
      : members.length > 0
        ? []
        : [{ ...status, id: 'here', name: 'this machine', isHere: false }]
  const reporting = new Set(machines.map(({ id }) => id))
  return (
    <section aria-labelledby="machines" class="below">
      <h2 id="machines">Machines</h2>
      <table class="table list">
        <thead>
          <tr>
            <th>Machine</th>
            <th>State</th>
            <th>Slots</th>
            <th>Agents</th>
            <th>Used today</th>
          </tr>
        </thead>
        <tbody>
          {all.map(machine => (
            <tr key={machine.id}>
              <td>
                <b>{visibleText(machine.name, 80)}</b>
                {machine.isHere ? <span class="dim"> (this one)</span> : null}
              </td>
              <td class="tight">
                <MachineState machine={machine} />
              </td>
              <td class="wide">
                <Slots busy={machine.busy} slots={machine.slots} />
              </td>
              <td class="wide">{machine.agents.map(agentTitle).join(', ')}</td>
              <td class="wide">{machine.budget ? budgetWords(machine.budget) : ''}</td>
            </tr>
          ))}
          {members
            .filter(({ id }) => !reporting.has(id))
            .map(({ id, name, isHere }) => (
              <tr key={id}>
                <td>
                  <b>{visibleText(name, 80)}</b>
                  {isHere ? <span class="dim"> (this one)</span> : null}
                </td>
                <td class="tight">
                  <Tag>takes no issues</Tag>
                </td>
                <td class="wide" colSpan={3} />
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  )
}

function MachineState({ machine: { mode, shared } }: { machine: Machine }) {
  if (shared && !shared.isMember) return <Tag tone="bad">does not belong to the fleet</Tag>
  if (shared && !shared.isAlive)
    return (
      <>
        <Tag tone="bad">silent</Tag>{' '}
        <span class="dim">
          since before <Ago at={shared.until} />
        </span>
      </>
    )
  return <Tag tone={mode === 'up' ? 'good' : mode === 'down' ? 'plain' : 'wait'}>{mode}</Tag>
}

/** One box for each slot; the words say the same. */
function Slots({ busy, slots }: { busy: number; slots: number }) {
  return (
    <span class="slots">
      <span aria-hidden="true">
        {Array.from({ length: Math.min(slots, 16) }, (_, nth) => (
          <i key={nth} data-busy={nth < busy} />
        ))}
      </span>
      {busy} of {slots} in use
    </span>
  )
}

/** The sessions of all machines. */
export function Sessions({ status, here }: { status: FleetStatus; here: readonly FleetSession[] }) {
  const others = status.machines.filter(({ isAlive, isHere }) => isAlive && !isHere)
  const mine = status.machines.find(({ isHere }) => isHere)?.name ?? ''
  const all = [
    ...here.map(session => ({ session, machine: mine })),
    ...others.flatMap(({ name, sessions }) => sessions.map(session => ({ session, machine: name }))),
  ]
  if (all.length === 0) return null
  return (
    <section aria-labelledby="fleet-sessions" class="below">
      <h2 id="fleet-sessions">Sessions</h2>
      <table class="table list">
        <thead>
          <tr>
            <th>Session</th>
            <th>State</th>
            <th>Where</th>
            <th>Context</th>
            <th>Last activity</th>
          </tr>
        </thead>
        <tbody>
          {all.map(({ session, machine }) => (
            <tr key={machine + session.id}>
              <td>
                {agentTitle(session.agent)}{' '}
                <span class="dim">{visibleText(session.name ?? session.title ?? '', 80)}</span>
              </td>
              <td class="tight">
                <SessionState state={session.state} />
              </td>
              <td class="wide">
                {folderName(session.project)}
                {machine ? <span class="dim"> on {visibleText(machine, 80)}</span> : null}
              </td>
              <td>
                {session.context?.percent === undefined
                  ? ''
                  : `${Math.round(session.context.percent)} % of its context`}
              </td>
              <td class="tight">
                <Ago at={session.lastActivityAt ?? session.startedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function SessionState({ state }: Pick<FleetSession, 'state'>) {
  const seen = WATCH_STATES[state]
  return (
    <Tag tone={seen?.tone ?? (state === 'working' ? 'good' : state === 'waiting' ? 'info' : 'plain')}>
      {seen?.word ?? state}
    </Tag>
  )
}
