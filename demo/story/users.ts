// The users of the demo org, who look after its companies in turn.

interface DemoUser {
  /** The user's name in the story. */
  readonly ref: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
}

export const demoUsers: readonly [DemoUser, DemoUser] = [
  { ref: 'user/maya', name: 'Maya Ferreira-Holt', email: 'maya@orrery.example', role: 'Administrator' },
  { ref: 'user/jonas', name: 'Jonas Lindqvar', email: 'jonas@orrery.example', role: 'Member' },
];
