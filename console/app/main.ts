// What a visit runs first: asks who is signed in, and then for the program, so that both are on their way at once.
import '@fontsource-variable/inter/wght.css';
import '../style/tokens.css';
import '../style/base.css';
import '../style/controls.css';
import '../style/floating.css';
import '../style/frame.css';
import { askEarly } from './auth-request.ts';

askEarly('bearer');
void import('./console.tsx');
