/** The entry point of the console. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.js';
import { applyTheme } from './shell/theme.js';
import './styles/base.css';
import './styles/controls.css';
import './styles/dialogs.css';
import './styles/graph.css';
import './styles/lists.css';
import './styles/page.css';
import './styles/shell.css';
import './styles/tables.css';

applyTheme();
const place = document.getElementById('app');
if (place === null) throw new Error('the page has no place for the app');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
