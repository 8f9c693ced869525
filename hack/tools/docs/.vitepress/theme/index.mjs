// The default theme with the fonts of the reader's machine.
import theme from 'vitepress/theme-without-fonts';
import './site.css';

export default theme;
