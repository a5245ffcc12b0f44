import type { CheckResult, Proof } from '@batonpass/contract/proof'
import { visibleText } from '../invisible.ts'
import { useResource } from '../resource.ts'
import type { Tone } from '../words.ts'
import { Tag } from './tag.tsx'

/** How much of an output the page shows; `baton proof` shows all that is stored. */
const MAX_OUTPUT = 20_000

/** The checks of a run, with the output of each. */
export function ProofPanel({ id }: { id: string }) {
  const path = `/api/proofs/${encodeURIComponent(id)}`
  const { data } = useResource<Proof>(path, ({ body }) => body.kind === 'proof' && body.proof === id)
  if (!data) return null
  const { commit, checks, results, setup, setupResult, verdict, why, running, contradictions = [] } = data
  const ended = [...(setupResult ? [{ ...setupResult, name: `setup: ${setup}` }] : []), ...results]
  const open = verdict ? [] : checks.filter(({ name }) => !results.some(result => result.name === name))
  return (
    <details class="panel proof" open={verdict === 'unproven'}>
      <summary>
        Proof of commit <code>{commit.slice(0, 10)}</code>{' '}
        <Tag tone={verdict === 'proven' ? 'good' : 'wait'} pulse={verdict === undefined}>
          {verdict ?? 'checks run'}
        </Tag>{' '}
        {why ? visibleText(why) : null}
      </summary>
      <ul aria-label="Checks">
        {ended.map((result, index) => (
          <li key={`${index}${result.name}`}>
            <Result result={result} />
          </li>
        ))}
        {open.map(({ name }) => (
          <li key={name}>
            <Tag>{name === running ? 'runs' : 'waits'}</Tag> {visibleText(name)}
          </li>
        ))}
        {contradictions.map(text => (
          <li key={text}>
            <Tag tone="wait">reported</Tag> {visibleText(text)}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Result({ result: { name, status, why, note, seconds, cached, output } }: { result: CheckResult }) {
  const line = (
    <>
      <Tag tone={TONES[status]}>{status}</Tag> {visibleText(name)}{' '}
      <span class="dim">
        {why ? `${visibleText(why)}, ` : ''}
        {Math.round(seconds)} s{cached ? ', known' : ''}
      </span>
      {note ? <div>{visibleText(note)}</div> : null}
    </>
  )
  if (!output) return line
  return (
    <details>
      <summary>{line}</summary>
      <pre>{visibleText(output, MAX_OUTPUT)}</pre>
    </details>
  )
}

const TONES: Record<CheckResult['status'], Tone> = {
  passed: 'good',
  failed: 'bad',
  'timed-out': 'bad',
  flaky: 'wait',
  changed: 'wait',
  'not-run': 'wait',
}
