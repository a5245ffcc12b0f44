import { EXIT, type Handler } from '../command.ts'
export const init: Handler = async () => EXIT.ok
export const uninstall: Handler = async () => EXIT.ok
