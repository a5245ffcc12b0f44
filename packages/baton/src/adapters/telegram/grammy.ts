/** A separate module, so that it can be imported lazily: only this way the bundler keeps the exports of a CommonJS package. */
export { Api } from 'grammy'
