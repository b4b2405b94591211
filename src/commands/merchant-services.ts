import { type DataSource } from 'typeorm';
import { type Clock } from '../core/clock.js';
import { type Ids } from '../core/ids.js';
import { ApiKey } from '../merchants/api-key.entity.js';
import { ApiKeysService } from '../merchants/api-keys.service.js';
import { CallersService } from '../merchants/callers.service.js';
import { IssuedKeys } from '../merchants/issued-keys.js';
import { Merchant } from '../merchants/merchant.entity.js';
import { MerchantsService } from '../merchants/merchants.service.js';

/** The services of merchants where there is no application: for commands. */
export function merchantServices(dataSource: DataSource, clock: Clock, ids: Ids) {
  const [merchants, apiKeys] = [dataSource.getRepository(Merchant), dataSource.getRepository(ApiKey)];
  const issued = new IssuedKeys(apiKeys, clock);
  const callers = new CallersService(apiKeys, merchants, issued, clock);
  return {
    callers,
    merchants: new MerchantsService(merchants, callers, clock, ids),
    apiKeys: new ApiKeysService(apiKeys, merchants, issued, callers, clock, ids),
  };
}
