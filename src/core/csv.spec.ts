import { stringify } from 'csv-stringify/sync';
import { csvOptions, csvRow } from './csv.js';

const lines = (...rows: readonly object[]) => stringify(rows.map(csvRow), csvOptions).trimEnd().split('\n');

describe('a row of a CSV file', () => {
  it.each([
    [{ amount: 1_234, currency: 'EUR' }, '12.34,EUR'],
    [{ amount: -5, currency: 'EUR' }, '-0.05,EUR'],
    [{ amount: 1_200, currency: 'JPY' }, '1200,JPY'],
    [{ amount: 1_234, currency: 'KWD' }, '1.234,KWD'],
    [{ amount: 0, currency: 'EUR' }, '0.00,EUR'],
    [{ net: -250, currency: 'USD', settled_currency: 'JPY' }, '-250,USD,JPY'],
    [{ amount: null, currency: null }, ','],
    [{ line: 12, currency: 'EUR' }, '12,EUR'],
    [{ amount: 12 }, '12'],
    [{ amount: 12, currency: '=1+1' }, `12,'=1+1`],
  ])('%j is %s', (row, line) => {
    expect(lines(row)[1]).toBe(line);
  });

  it.each(['=1+1', '+1', '-1', '@A1', '\t=1'])('has the text %j as a text', (reference) => {
    expect(lines({ reference })[1]).toBe(`'${reference}`);
  });

  it('writes times, truths and lists as programs read them', () => {
    const row = { at: new Date(0), isNew: true, of: [1, 'a'] };
    expect(lines(row)).toEqual(['at,isNew,of', '1970-01-01T00:00:00.000Z,true,"[1,""a""]"']);
  });
});
