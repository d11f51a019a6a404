// What an import says while files are read, planned, sent and taken back.
import type { CurrencyDoubt } from '../../client/import/currency-column.ts';
import { quoted } from '../../client/import/described.ts';

export const runTexts = {
  workbook: (name: string) =>
    `${name} is a workbook, not a CSV file. In the spreadsheet program choose "Save as" and "CSV UTF-8", once for each sheet, and import these files.`,
  unclosed: (line: number) =>
    `A quote opened in line ${line} is never closed. Close it, or double it if it belongs to the text.`,
  empty: (name: string) => `${name} is empty. Its first row must contain the column names.`,
  badHeader: (name: string) => `The first row of ${name} cannot be read. It must contain the column names.`,
  unreadable: 'The file can no longer be read. It may have been changed or moved: choose it again.',
  tooManyColumns: (count: number, most: number) =>
    `The file has ${count} columns; at most ${most} are allowed. Check that the first line contains the column names.`,
  noType: (name: string) => `There is no type ${quoted(name)} that you can see.`,
  noCreate: (plural: string) => `You cannot create ${plural}. Ask an administrator for the grant to create them.`,
  noUpdate: (plural: string) => `You cannot change ${plural}, so rows cannot be matched with existing ones.`,
  noCreationDate: 'the date of creation: only the command line can import it',
  noLink: (header: string) =>
    `The column ${quoted(header)} links to records that you cannot link to. Choose another use.`,
  notWritable: (header: string, property: string) =>
    `The column ${quoted(header)} is used for ${property}, which cannot be written. Choose another property.`,
  noAmount: (header: string, label: string) =>
    `The column ${quoted(header)} is used for the currency of ${label}, which has no amounts. Choose another property.`,
  loneUnit: (header: string, label: string) =>
    `The column ${quoted(header)} has the currency of ${label}, but no column has its amounts. Choose the column of the amounts as well.`,
  noSource: (header: string) =>
    `The column ${quoted(header)} has ids of another system. Say which system, such as hubspot.`,
  notFoundBy: (header: string, by: string) =>
    `The records of the column ${quoted(header)} cannot be found by ${by}. Choose another way to find them.`,
  notCreatable: (header: string) =>
    `Records that the column ${quoted(header)} names cannot be created from one value. Refuse such rows, or leave the link out.`,
  twice: (first: string, second: string, what: string) =>
    `The columns ${first} and ${second} are both used for ${what}. Choose one of them.`,
  externalId: 'the id in another system',
  noIds: 'No column has the ids of another system to match by. Choose one, or match by something else.',
  notUnique: (label: string) => `${label} cannot be used to match: several records can have the same value.`,
  noMatch: (label: string) => `No column has ${label}, by which rows are matched. Choose one.`,
  nothingUsed: (label: string) => `No column is used. Choose what at least one of them is for a ${label}.`,
  currencyColumn: ({ header, property }: CurrencyDoubt) =>
    `The column ${quoted(header)} looks like the currency of ${property}. Choose it as that currency, or ignore the column.`,
  noCurrency: (header: string, line: number, cell: string) =>
    `The column ${quoted(header)} has amounts without a currency, such as ${quoted(cell.trim())} in line ${line}. Say in which currency they are.`,
  tooManyNames: (count: number, most: number) => `A cell may name at most ${most} records; this one names ${count}.`,
  tooManyLinks: (count: number, most: number) => `A row may have at most ${most} links; this one has ${count}.`,
  takesOne: (count: number) => `The link takes one record; the cell names ${count}.`,
  tooManyAlike: (plural: string) =>
    `Too many ${plural} have the same names as the file has. Find them by another property.`,
  noId: 'A row needs an id to be matched by.',
  ambiguous: (plurals: readonly string[], by: string, name: string) =>
    `Several ${plurals.join(' or ').toLowerCase()} have the ${by} ${name}. Name one by something else.`,
  noRecord: (labels: readonly string[], by: string, name: string) =>
    `There is no ${labels.join(' or ').toLowerCase()} with the ${by} ${name}.`,
  byId: 'id',
  byExternalId: 'id in another system',
  lineReason: (line: number, reason: string) => `line ${line}: ${reason}`,
  moreFaults: (count: number) => `And ${count} more.`,
  noAnswerForRow: 'The service has not answered for this row.',
  allowed: (values: readonly string[]) => `Allowed: ${values.join(', ')}.`,
  holder: (id: string) => `It is ${id}.`,
  claimedBefore: (line: number, label: string) => `Line ${line} has the same value of ${label}.`,
  claimsFull: 'The file has more unique values than a dry run compares: the import may refuse rows that repeat one.',
  waits: (why: string, seconds: number) => `${why} Trying again in ${seconds} s.`,
  inDoubt: (first: number, last: number) =>
    `Nobody can tell whether the rows of lines ${first} to ${last} were stored: the answer was lost more than a day ago. Look for one of them, then send these rows again or leave them out.`,
  leftOut: 'Left out, because nobody can tell whether it was stored.',
  answerLost: 'The answer was lost, and no record has these values: the service refused the row.',
  noFile: 'No file is open. Choose a file first.',
  noPlan: 'The import is not planned yet. Choose what the columns are.',
  isRunning: 'An import is running. Stop it first.',
  elsewhere: 'Another tab of this browser is importing. Wait until it is done, or stop it there.',
  unfinished: (name: string) =>
    `The import of ${name} is not finished. Go on with it, or confirm that this import takes its place.`,
  replaced: 'Another tab has begun another import since, so this one cannot go on. Reload the page to see that one.',
  nothingKept: 'This browser keeps no import of yours.',
  notKept: 'This browser cannot keep the import: it may have no space left, or be in private mode.',
} as const;
