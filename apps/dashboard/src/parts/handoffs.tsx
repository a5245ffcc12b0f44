import type { HandoffView } from '@batonpass/contract/dashboard'
import { HANDOFF_LABELS } from '@batonpass/contract/labels'
import type { ComponentChildren } from 'preact'
import { clockTime } from '../time.tsx'
import { inline, Prose } from './prose.tsx'
import { Scroller } from './scroller.tsx'
import { Empty, Tag } from './tag.tsx'

/** Document, evidence and findings of each handoff, side by side. */
export function Handoffs({ views }: { views: readonly HandoffView[] }) {
  if (views.length === 0)
    return (
      <Empty title="No handoff yet">
        When the context fills, or you type <code>/handoff</code>, the document appears here with the results
        of its checks.
      </Empty>
    )
  return (
    <>
      {views.map(view => (
        <section key={view.name} aria-label={view.name}>
          <h2>
            {view.name} ·{' '}
            {view.document.facts.written_by === 'baton'
              ? 'written by Baton from evidence'
              : 'written by the agent'}
          </h2>
          <div class="columns">
            <div class="panel">
              <h3>Document</h3>
              <Scroller look="document" label={`Document ${view.name}`}>
                <Prose text={withoutFacts(view.text)} />
              </Scroller>
            </div>
            <div class="panel">
              <h3>Evidence</h3>
              <Evidence facts={view.document.facts} />
            </div>
            <div class="panel">
              <h3>Findings</h3>
              <Findings view={view} />
              <History steps={view.course} />
            </div>
          </div>
        </section>
      ))}
    </>
  )
}

const LABELS: Readonly<Record<string, string>> = HANDOFF_LABELS

const withoutFacts = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n+/, '')

function Evidence({ facts }: { facts: HandoffView['document']['facts'] }) {
  const {
    branch,
    head,
    ahead,
    dirty = [],
    touched = [],
    tests,
    todos = [],
    instructions = [],
    issue,
    pr,
  } = facts
  const rows: [string, ComponentChildren][] = [
    ['Branch', branch ? <code>{branch}</code> : null],
    ['Commit', head ? <code>{head.slice(0, 10)}</code> : null],
    ['Commits ahead', ahead],
    ['Issue', issue ? `#${issue}` : null],
    ['PR', pr ? `#${pr}` : null],
    [
      'Tests',
      tests ? (
        <>
          <Tag tone={tests.result === 'passed' ? 'good' : 'bad'}>{tests.result}</Tag>{' '}
          <code>{tests.command}</code>
        </>
      ) : null,
    ],
    ['Uncommitted', dirty.length > 0 ? <Lines texts={dirty} isCode /> : null],
    ['Touched', touched.length > 0 ? <Lines texts={touched} isCode /> : null],
    ['Todos', todos.length > 0 ? <Lines texts={todos} /> : null],
    ['Instructions', instructions.length > 0 ? <Lines texts={instructions} /> : null],
  ]
  const known = rows.filter(([, value]) => value !== null && value !== undefined)
  if (known.length === 0) return <p class="dim">The document contains no evidence.</p>
  return (
    <dl class="effects">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Lines({ texts, isCode = false }: { texts: readonly string[]; isCode?: boolean }) {
  return (
    <ul class="lines">
      {texts.map(text => (
        <li key={text}>{isCode ? <code>{breakable(text)}</code> : text}</li>
      ))}
    </ul>
  )
}

/** Long paths break after a slash, not within a name. */
const breakable = (path: string): ComponentChildren =>
  path.split(/(?<=\/)/).flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]))

function Findings({ view: { findings, document } }: { view: HandoffView }) {
  const recorded = document.facts.findings ?? []
  if (findings.length === 0 && recorded.length === 0)
    return (
      <p>
        <Tag tone="good">{document.facts.verified_at ? 'verified' : 'none'}</Tag>{' '}
        <span class="dim">{document.facts.verified_at ? 'The document matches the evidence.' : ''}</span>
      </p>
    )
  return (
    <ul>
      {findings.map(({ code, where, message, weight }) => (
        <li key={`${code}${where}${message}`}>
          <Tag tone={weight === 'wrong' ? 'bad' : 'plain'}>{where}</Tag> {inline(message)}
        </li>
      ))}
      {recorded.map(message => (
        <li key={message}>
          <Tag tone="wait">differs</Tag> {inline(message)}
        </li>
      ))}
    </ul>
  )
}

/** The history of the document, with what Baton found wrong at each step. */
function History({ steps }: { steps: HandoffView['course'] }) {
  if (steps.length === 0) return null
  return (
    <ol class="trail course" aria-label="History of the document">
      {steps.map(({ at, what, findings }) => (
        <li key={at + what} data-tone={findings.length > 0 ? 'wait' : 'good'}>
          {LABELS[what] ?? what} <time dateTime={at}>{clockTime(at)}</time>
          {findings.map(finding => (
            <p key={finding} class="why">
              {inline(finding)}
            </p>
          ))}
        </li>
      ))}
    </ol>
  )
}
