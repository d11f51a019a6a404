// What vouches for an email address: the provider's own claim that comes with it, and Microsoft's only of Microsoft.
import { expect, test } from 'vitest';
import { identityOf } from './provider.ts';

const entra = 'https://login.microsoftonline.com/3f2c/v2.0';
const person = { iss: 'https://id.example.com', sub: 'one', email: 'ada@example.com' };

test.each([
  ['email_verified', { ...person, email_verified: true }, true],
  ['email_verified as text', { ...person, email_verified: 'true' }, false],
  ['email_verified without an address', { iss: person.iss, sub: 'one', email_verified: true }, false],
  ['no claim', person, false],
  ['xms_edov of Microsoft', { ...person, iss: entra, xms_edov: true }, true],
  ['xms_edov of Microsoft as text', { ...person, iss: entra, xms_edov: '1' }, true],
  ['xms_edov of Microsoft that is false', { ...person, iss: entra, xms_edov: false }, false],
  ['xms_edov of somebody else', { ...person, xms_edov: true }, false],
  [
    'xms_edov of a host that looks alike',
    { ...person, iss: `${entra}.example.com`.replace('.com/', '.com.example/'), xms_edov: 1 },
    false,
  ],
])('%s', (_, claims, isVerified) => {
  expect(identityOf(claims, claims).isEmailVerified).toBe(isVerified);
});
