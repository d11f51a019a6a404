// The texts of the first steps in a new org.
export const startTexts = {
  title: 'First steps',
  intro: 'Your org is new. These take a few minutes; each is gone when it is done, and you can skip any.',
  skip: 'Skip',
  skipStep: (title: string) => `Skip: ${title}`,
  allDone: 'Your org is ready.',
  goOn: 'Go to Home',
  steps: {
    contact: {
      title: 'Add a first contact',
      text: 'Somebody you know: a name is enough, the rest can follow.',
      action: 'Add contact',
    },
    deal: {
      title: 'Add a first deal',
      text: 'Something you hope to sell. On the board, deals go from stage to stage.',
      action: 'Add deal',
    },
    import: {
      title: 'Bring in what you have',
      text: 'A spreadsheet of people, companies or deals, saved as CSV. You see what becomes of each column first.',
      action: 'Import contacts',
    },
    colleague: {
      title: 'Invite a colleague',
      text: 'They sign in with a link that you hand over, and see what their role permits.',
      action: 'Go to members',
    },
    key: {
      title: 'Make a key for a program',
      text: 'A web form or a script uses the API with a key, which sees no more than you tick.',
      action: 'Make a key',
    },
  },
} as const;
