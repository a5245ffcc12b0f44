import { EXIT, type Handler } from '../command.ts'
export const doctor: Handler = async () => EXIT.ok
