import type { BoardView, ClaimView } from '@batonpass/contract/claim'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { PullRequest } from './claim-card.tsx'
import { Outside } from './outside.tsx'
import { Scroller } from './scroller.tsx'
import { Empty, Tag } from './tag.tsx'

type Item = BoardView['items'][number]

/** The project's board from the forge, column by column, with what Baton knows about each issue. */
export function Board({ project, claims }: { project: string; claims: readonly ClaimView[] }) {
  const path = `/api/board?${new URLSearchParams({ project })}`
  const { data, error } = useResource<BoardView>(path, ({ body }) => body.kind === 'claim')
  if (error && !data)
    return (
      <Empty title={error.message}>{error.remedy ?? 'Baton reads the board from the project’s forge.'}</Empty>
    )
  if (!data) return <p class="dim">Loading the board …</p>
  const { board, items } = data
  if (!board)
    return (
      <Empty title="This repository has no board that Baton can see">
        Create one with <code>baton claim board setup --title NAME</code>.
      </Empty>
    )
  const shown = items.filter(({ kind }) => kind !== 'hidden')
  const columns = [...board.statuses, undefined].map(status => ({
    status,
    items: shown.filter(item => (item.status ?? undefined) === status),
  }))
  return (
    <>
      <p class="dim board-name">
        <Outside to={board.url}>{board.title}</Outside>
      </p>
      <Scroller look="board" label={`Board ${board.title}`}>
        {columns
          .filter(column => column.status !== undefined || column.items.length > 0)
          .map(column => (
            <section key={column.status ?? ''} aria-label={column.status ?? 'No status'}>
              <h3>
                {column.status ?? 'No status'} <span>{column.items.length}</span>
              </h3>
              <ul>
                {column.items.map(item => (
                  <BoardCard
                    key={item.id}
                    item={item}
                    claim={claims.find(({ issue }) => issue === item.issue)}
                  />
                ))}
              </ul>
            </section>
          ))}
      </Scroller>
    </>
  )
}

function BoardCard({ item, claim }: { item: Item; claim: ClaimView | undefined }) {
  const { issue, title, url, state, agent, labels, assignees, kind } = item
  return (
    <li class="card">
      <h4>
        <Outside to={url}>{issue === undefined ? kind : `#${issue}`}</Outside> {title}
      </h4>
      {claim ? <PullRequest claim={claim} /> : null}
      {labels.length > 0 || state === 'closed' ? (
        <p class="labels">
          {state === 'closed' ? <Tag tone="good">closed</Tag> : null}
          {labels.slice(0, 6).map(label => (
            <Tag key={label}>{label}</Tag>
          ))}
        </p>
      ) : null}
      {agent || assignees.length > 0 ? (
        <p class="last">
          <span>
            {claim?.session ? (
              <Link to={`/sessions/${claim.session}`}>{agent ?? assignees.join(', ')}</Link>
            ) : (
              (agent ?? assignees.join(', '))
            )}
          </span>
        </p>
      ) : null}
    </li>
  )
}
