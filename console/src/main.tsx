import '@mantine/core/styles.css';
import '@mantine/charts/styles.css';
import './console.css';
import { MantineProvider, createTheme } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './api.js';
import { router } from './router.js';

const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: 8,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  autoContrast: true,
  // Below 1,100 px the menu is folded, and lists have the whole width.
  breakpoints: { menu: '68.75em' },
  // A screen reader says nothing of a cross without a name.
  components: { Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } } },
});

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // What the service refuses it refuses again; what did not arrive is asked for once more.
      retry: (failures, error) => !(error instanceof ApiProblem) && failures < 1,
      refetchInterval: 5_000,
      staleTime: 2_000,
    },
  },
});

/** The policy of the page lets these styles in, and no others that are written into it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';
// What locks the scrolling behind a dialog writes a style too, and takes its nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
