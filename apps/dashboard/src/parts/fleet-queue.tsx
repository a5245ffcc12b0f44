import type { JobView } from '@batonpass/contract/fleet'
import { visibleText } from '../invisible.ts'
import { Ago } from '../time.tsx'
import { agentTitle, folderName } from '../words.ts'
import { Outside } from './outside.tsx'
import { Scroller } from './scroller.tsx'
import { Tag } from './tag.tsx'

const STATES = [
  ['waiting', 'Waiting'],
  ['working', 'An agent works'],
  ['review', 'Pull request open'],
  ['failed', 'Waits for you'],
] as const
/** Of each state. */
const MOST = 40

/** The issues of the queue in columns by their state. */
export function FleetQueue({ jobs }: { jobs: readonly JobView[] }) {
  return (
    <Scroller look="board" label="The queue by state">
      {STATES.map(([state, title]) => {
        const here = jobs.filter(job => job.state === state)
        return (
          <section key={state} aria-labelledby={`queue-${state}`}>
            <h3 id={`queue-${state}`}>
              {title} <span>{here.length}</span>
            </h3>
            <ul>
              {here.slice(0, MOST).map(job => (
                <Job key={job.id} job={job} />
              ))}
            </ul>
            {here.length > MOST ? <p class="dim">and {here.length - MOST} more</p> : null}
          </section>
        )
      })}
    </Scroller>
  )
}

function Job({ job }: { job: JobView }) {
  const { repository, issue, state, priority, agent, failures, addedAt, reason, pullRequest, machine } = job
  return (
    <li class="card" data-tone={state === 'failed' ? 'wait' : 'plain'}>
      <h4>
        {visibleText(folderName(repository), 80)} #{issue}
      </h4>
      <p class="who">
        {agent ? <span>{agentTitle(agent)}</span> : null}
        {machine ? <span>on {visibleText(machine, 80)}</span> : null}
        {priority === 0 ? null : <span>priority {priority}</span>}
        {failures > 0 ? <Tag tone="wait">failed {failures} ×</Tag> : null}
        {pullRequest ? <Outside to={pullRequest}>pull request</Outside> : null}
      </p>
      {reason ? <p class="dim">{visibleText(reason, 300)}</p> : null}
      {state === 'failed' ? (
        <p>
          <code>baton queue retry {issue}</code>
        </p>
      ) : null}
      {addedAt ? (
        <p class="last">
          <span title={repository}>{visibleText(repository, 80)}</span>
          <Ago at={addedAt} suffix="" />
        </p>
      ) : null}
    </li>
  )
}
