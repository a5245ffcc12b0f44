import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import { connection } from '../live.ts'

interface PageProps {
  title: string
  about?: ComponentChildren
  tools?: ComponentChildren
  error?: ApiError | undefined
  children?: ComponentChildren
}

/** The layout of every page: title, tools and errors. */
export function Page({ title, about, tools, error, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Baton`
  }, [title])
  return (
    <main class="page" id="page" tabIndex={-1}>
      <header>
        <h1>{title}</h1>
        {about ? <p>{about}</p> : null}
        {tools ? <div class="tools">{tools}</div> : null}
      </header>
      {connection.value === 'lost' ? (
        <p class="notice" role="status">
          The daemon does not answer right now. This page reconnects by itself; if it does not, run{' '}
          <code>baton up</code>.
        </p>
      ) : null}
      {error ? (
        <p class="notice bad" role="alert">
          {error.message}. {error.remedy ?? ''}
        </p>
      ) : null}
      {children ??
        (error ? null : (
          <p class="dim" role="status">
            Loading …
          </p>
        ))}
    </main>
  )
}
