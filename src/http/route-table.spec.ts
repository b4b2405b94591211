import { fastify } from 'fastify';
import { RouteTable } from './route-table.js';

describe('the routes of the APIs', () => {
  const route = (url: string, config: object) => () => {
    const server = fastify();
    const table = new RouteTable();
    table.watch(server);
    server.get(url, { config }, () => ({}));
    return table.routes;
  };

  it.each(['/v1/things', '/ops/api/things/:id'])('%s has to say who may call it', (url) => {
    expect(route(url, {})).toThrow(`GET ${url} does not say who may call it`);
    expect(route(url, { operatorRole: 'viewer' })()).toContainEqual({ method: 'GET', path: url });
    expect(route(url, { operatorRole: null })()).toHaveLength(2);
    expect(route(url, { access: { scopes: [], movesMoney: false } })()).toHaveLength(2);
    expect(route(url, { isNotification: true })()).toHaveLength(2);
  });

  it('are the only ones of which that is asked', () => {
    expect(route('/docs/*', {})()).toHaveLength(2);
  });
});
