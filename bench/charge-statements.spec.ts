import { chargeStatements, varying } from './charge-statements.js';

const merchantId = '01900000-0000-7000-8000-000000000001';

it('records the two statements of a plain charge, and what varies in them', async () => {
  const statements = await chargeStatements(merchantId);
  expect(statements).toHaveLength(2);
  for (const { text, parameters } of statements) {
    const last = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
    expect(parameters).toHaveLength(last);
  }
  const pieces = statements.flatMap(({ parameters }) => parameters.flatMap((parameter) => parameter ?? []));
  const found = new Set(pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.varies])));
  expect([...found].toSorted()).toEqual([...varying].toSorted());
  expect(pieces).toContain(merchantId);
});
