import type { ReactNode } from 'react';
import { rich } from './rich.ts';

/** Signing in, setting up the leader, passwords and PINs. */
export const entranceWords = {
  // Password dialog
  presentPassword: 'Present password',
  newPassword: 'New password',
  newPasswordAgain: 'New password again',
  changePassword: 'Change password',
  differsFromNewPassword: 'Differs from the new password.',
  allYourOtherSessionsEnd: 'All your other sessions end.',

  // Leave tablet
  leaveTabletModeQuestion: 'Leave tablet mode?',
  leaveTabletConsequence:
    'This device then shows the sign-in. Only an administrator can make it a shared tablet again.',
  leaveTabletMode: 'Leave tablet mode',

  // Pin form
  whoAreYou: 'Who are you?',
  nobodyHasPin: 'Nobody who may act has a PIN yet. Sign in on your own computer, and set one on the page People.',
  actsInYourName: 'What you do in the next minute is done in your name.',

  // Provider sign in
  signInWith: (name: string) => `Sign in with ${name}`,

  // Set up page
  setUpThisLeader: 'Set up this leader',
  setUpHelp: 'Create the first account, an administrator. The code is in the terminal and the log of the leader.',
  codeOfLeader: 'Code of the leader',
  codeExample: 'ABCD-EFGH',
  nameForSignIn: 'Your name, for the sign-in',
  passwordHelp: '12 characters or more; a few words that only you know are good',
  samePasswordAgain: 'The same password again',
  twoPasswordsDiffer: 'The two passwords differ.',
  createAccount: 'Create the account',

  // Entrance page
  signInWithPasskey: 'Sign in with a passkey',
  signIn: 'Sign in',
  signInHeading: 'Sign in to Leader Control Service',
  lcsPeople: 'lcs people',
  signInHelp: (code: ReactNode) =>
    rich`Experiments continue while nobody is signed in. No account, or forgotten password: ask an administrator. On the machine of the leader itself ${code} manages accounts.`,
} as const;
