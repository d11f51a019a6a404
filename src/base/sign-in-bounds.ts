// The bounds of signing in, each with its reason. They are part of the table in `limits`.

export const signIn = {
  /** How long a bearer is valid. The page keeps it in memory, and its cookie fetches the next one. */
  bearerSeconds: 900,
  /** A session ends when nobody has used it for this long, and at the latest after this long: 12 hours and 30 days. */
  sessionIdleSeconds: 43_200,
  sessionSeconds: 2_592_000,
  /** How long a session that has ended is remembered, so that a request with its bearer is told what happened. */
  sessionRememberedSeconds: 86_400,
  /** Bearers of one session that are valid at once: one for each open tab. */
  bearersPerSession: 30,
  /** Sessions and unused links of one member; the oldest give way. */
  sessionsPerMember: 50,
  linksPerMember: 20,
  /** How long links are valid: 10 minutes, and 7 days for an invitation. */
  linkSeconds: 600,
  invitationSeconds: 604_800,
  /** Shorter passwords are guessed; longer ones cost more to receive than they are worth. */
  passwordCharactersMin: 12,
  passwordCharactersMax: 256,
  /** What it takes to compute the digest of a password: 128 MiB and some 400 ms. */
  scryptCost: 131_072,
  scryptBlock: 8,
  scryptMemoryBytes: 167_772_160,
  /** Digests that are computed at once and that wait. A second one would take what a machine of two cores serves with. */
  scryptsAtOnce: 1,
  scryptsWaiting: 11,
  /** The most of them that come from one network, so that one stranger does not keep the others waiting. */
  scryptsPerNetwork: 8,
  /** The program that computes them ends when none came for this long. */
  scryptIdleMs: 60_000,
  /** Wrong passwords for an account, or from an address, after which further tries are slowed down. */
  freeFailures: 10,
  /** Failures count for this long after the first of them. */
  failuresKeptSeconds: 900,
  /** The wait after the tenth failure; it doubles with each further one. */
  firstWaitSeconds: 15,
  /** Accounts and networks that are remembered for having tried orgs that do not exist. */
  inventedSubjects: 10_000,
  /** Bytes of a body at /auth, and its members: names, passwords and tokens are short. */
  bodyBytes: 16_384,
  bodyValues: 20,
  /** Characters of the program's name that is shown with a session. */
  agentCharacters: 200,
  /** How long a person may take at an OpenID provider. */
  oidcStartedSeconds: 600,
  /** How long an OpenID provider may take to answer, how long its answer may be, and how much its clock may differ. */
  providerMs: 5_000,
  providerBytes: 1_048_576,
  clockSkewSeconds: 60,
  /** How long what a provider says about itself is used. */
  providerKeptMs: 600_000,
  /** Providers that are kept, and sign-ins that wait for a provider: of one org, and of all. */
  providersKept: 100,
  providerRequestsPerOrg: 10,
  providerRequestsAtOnce: 40,
  /** How long a provider that did not answer is not asked again. */
  providerFaultMs: 2_000,
} as const;
