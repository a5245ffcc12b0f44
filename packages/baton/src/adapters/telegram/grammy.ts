/** A module of its own so that it can be loaded late: the bundler keeps a CommonJS package's names only this way. */
export { Api } from 'grammy'
