/**
 * merchants: who may ask. A merchant is a tenant; its API keys carry scopes, are stored hashed and
 * shown once.
 */
export { type ApiKey, ApiKeyEntity } from './api-key.entity.js';
export { type Authenticator, type Caller, type Scope, scopes } from './caller.js';
export { type Merchant, MerchantEntity } from './merchant.entity.js';
export { type ApiKeyView, type IssuedApiKey, Merchants } from './merchants.js';
