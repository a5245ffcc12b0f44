import { hookClientContract } from '../contracts/hook-client.contract.ts'

hookClientContract('curl')
