import { Provider } from 'oidc-provider';

/**
 * A real OpenID provider on this machine, in a process of its own: `node oidc-provider.mjs <redirect URI>`. Everybody
 * signs in with any password, and is in the groups that were set by `/_groups?<name>=<group>+<group>`.
 */
const [redirectUri] = process.argv.slice(2);
const server = (await import('node:http')).createServer();
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${server.address().port}`;
const groupsOf = new Map();
const provider = new Provider(issuer, {
  clients: [{ client_id: 'payonce', client_secret: 'oidc-secret-of-the-spec', redirect_uris: [redirectUri] }],
  claims: { openid: ['sub', 'email', 'email_verified', 'preferred_username', 'groups'] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      // What a person may choose.
      preferred_username: 'grace@example.com',
      email: `${id}@example.com`,
      email_verified: id !== 'unverified',
      groups: groupsOf.get(id) ?? [],
    }),
  }),
});
const answer = provider.callback();
server.on('request', (request, reply) => {
  if (!request.url.startsWith('/_groups?')) return answer(request, reply);
  for (const [name, list] of new URL(request.url, issuer).searchParams) groupsOf.set(name, list.split(' '));
  reply.end();
});
console.log(JSON.stringify({ listening: issuer }));
