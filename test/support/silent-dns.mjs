/**
 * Loaded before the service (`node --import`): the DNS server of this machine is the one at SILENT_DNS, which
 * answers nothing. `dns.lookup` of a name holds one of libuv's four threads meanwhile, as getaddrinfo does:
 * here by opening SILENT_FIFO, a pipe that is never written to. It knows `localhost` and addresses, as always.
 */
import { syncBuiltinESMExports } from 'node:module';
import dns from 'node:dns';
import dnsPromises from 'node:dns/promises';
import { open } from 'node:fs';
import { isIP } from 'node:net';

class SilentResolver extends dnsPromises.Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env.SILENT_DNS]);
  }
}
dnsPromises.Resolver = SilentResolver;

const isKnown = (name) => name === 'localhost' || isIP(name) !== 0;
const silent = () => Object.assign(new Error('no DNS server answers'), { code: 'EAI_AGAIN' });

const { lookup } = dns;
dns.lookup = (name, ...more) => {
  if (isKnown(name)) return lookup(name, ...more);
  open(process.env.SILENT_FIFO, 'r', () => more.at(-1)(silent()));
};
const { lookup: lookupPromise } = dnsPromises;
dnsPromises.lookup = (name, options) =>
  isKnown(name)
    ? lookupPromise(name, options)
    : new Promise((_, reject) => {
        open(process.env.SILENT_FIFO, 'r', () => reject(silent()));
      });
syncBuiltinESMExports();
