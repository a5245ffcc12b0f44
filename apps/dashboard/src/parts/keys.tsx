import { useLayoutEffect, useRef } from 'preact/hooks'
import { isTyping } from '../key-target.ts'
import { navigate } from '../router.tsx'

const PLACES: Record<string, readonly [path: string, name: string]> = {
  o: ['/', 'Overview'],
  a: ['/asks', 'Asks'],
  c: ['/claims', 'Claims'],
  w: ['/work', 'Work'],
  f: ['/fleet', 'Fleet'],
  h: ['/history', 'History'],
  j: ['/journal', 'Journal'],
  r: ['/recap', 'Recap'],
  s: ['/settings', 'Settings'],
}
/** How long `g` waits for its second key. */
const SECOND_MS = 1200

/** The keys that work on every page, and the dialog that lists them. */
export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null)
  // A layout effect, so that a key pressed right after the first paint counts, too.
  useLayoutEffect(() => {
    let going = 0
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return
      if (event.key === '?') dialog.current?.showModal()
      else if (event.key === '/') {
        navigate('/journal')
        setTimeout(() => document.getElementById('words')?.focus())
      } else if (event.key === 'g') going = event.timeStamp
      else if (going && event.timeStamp - going < SECOND_MS && PLACES[event.key]) {
        navigate(PLACES[event.key]?.[0] ?? '/')
        going = 0
        event.stopImmediatePropagation()
      } else {
        going = 0
        return
      }
      event.preventDefault()
    }
    // In the capture phase, before the page's own keys: the `a` of `g a` must not answer a question.
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [])
  return (
    <>
      <button type="button" class="quiet" aria-label="Keys" onClick={() => dialog.current?.showModal()}>
        <kbd>?</kbd>
      </button>
      <dialog ref={dialog} aria-labelledby="keys-title">
        <h3 id="keys-title">Keys</h3>
        <h4>Everywhere</h4>
        <dl>
          <Key keys="?">show these keys</Key>
          <Key keys="/">search the journal</Key>
          {Object.entries(PLACES).map(([key, [, name]]) => (
            <Key key={key} keys={`g ${key}`}>
              {name}
            </Key>
          ))}
        </dl>
        <h4>Asks</h4>
        <dl>
          <Key keys="j k">next and previous question</Key>
          <Key keys="a">allow once</Key>
          <Key keys="s">allow for this session</Key>
          <Key keys="p">always allow in this project</Key>
          <Key keys="e">always allow everywhere</Key>
          <Key keys="d">deny</Key>
          <Key keys="r">deny and say why</Key>
        </dl>
        <h4>Recap</h4>
        <dl>
          <Key keys="u">show what undoing the last step would change; Enter undoes it</Key>
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  )
}

const Key = ({ keys, children }: { keys: string; children: string }) => (
  <>
    <dt>
      {keys.split(' ').map((key, index) => (
        <span key={key}>
          {index > 0 ? ' ' : ''}
          <kbd>{key}</kbd>
        </span>
      ))}
    </dt>
    <dd>{children}</dd>
  </>
)
