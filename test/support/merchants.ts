import { type Clock } from '../../src/core/clock.js';
import { type Ids } from '../../src/core/ids.js';
import { type Database } from '../../src/database/database.js';
import { ApiKey } from '../../src/merchants/api-key.entity.js';
import { Merchant } from '../../src/merchants/merchant.entity.js';
import { Merchants } from '../../src/merchants/merchants.js';

/** Merchants of a database that was opened with their entities. */
export function merchantsOf({ dataSource }: Database, clock: Clock, ids: Ids): Merchants {
  return new Merchants(dataSource.getRepository(Merchant), dataSource.getRepository(ApiKey), clock, ids);
}
