import { ApiClient, type Service, type TestEnvironment } from './test-environment.js';

/** A shop that is told of duplicates for so many seconds; by whichever service it is told to ask. */
export async function shopsWithWindow(
  environment: TestEnvironment,
  services: readonly Service[],
  windowS: number,
): Promise<ApiClient[]> {
  const apiKey = await environment.merchant();
  // The prefix, which people may see: `po_live_<12 hex>`.
  const prefix = apiKey.split('_').slice(0, 3).join('_');
  const changed = await environment.sql(
    `UPDATE merchants m SET duplicate_window_s = $1 FROM api_keys k
      WHERE k.merchant_id = m.id AND k.prefix = $2 RETURNING m.id`,
    [windowS, prefix],
  );
  if (changed.length !== 1) throw new Error(`no merchant has the key ${prefix}`);
  return services.map((service) => new ApiClient(() => service.url, apiKey));
}
