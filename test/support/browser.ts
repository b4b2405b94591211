import { existsSync, readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { codeOf, type OperatorCredentials } from './console-client.js';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

/** Where no Chromium is installed the specs that need one are skipped, and say so. */
export const describeInBrowser = executablePath === undefined ? describe.skip : describe;
if (executablePath === undefined)
  console.warn('chromium is not installed: the pages of the console are not tested');

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}

/** A page of its own visitor, with all that it complains of: errors, refused scripts and styles, failed requests. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ readonly context: BrowserContext; readonly page: Page; readonly complaints: string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // What the API refuses is told by the browser as well, without being a fault of the page.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
      complaints.push(message.text());
  });
  return { context, page, complaints };
}

/** Fills in the form for signing in. `periods`: how many codes of the authenticator later. */
export async function fillIn(page: Page, operator: OperatorCredentials, periods = 0): Promise<void> {
  await page.getByLabel('Name').fill(operator.name);
  await page.locator('input[autocomplete=current-password]').fill(operator.password);
  await page.getByLabel('Digit 1').click();
  await page.keyboard.type(codeOf(operator, periods));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Drops a file on the import of reports, which is open. */
export async function dropReport(page: Page, name: string, content: string): Promise<void> {
  // As text, since the types of a browser are not those of the specs.
  const dropped = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: dropped });
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** What hinders people who use a screen reader or a keyboard: the serious findings alone, of these rules or of all. */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(
    async (runOnly) => {
      const { axe } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: Violation[] }> };
      };
      return (await axe.run(runOnly ? { runOnly } : {})).violations.flatMap(({ id, impact, nodes }) =>
        nodes.map(({ html, failureSummary }) => ({
          id,
          impact,
          what: `${html.slice(0, 100)} ${failureSummary}`,
        })),
      );
    },
    rules && [...rules],
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, what }) => `${id}: ${what}`);
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}
