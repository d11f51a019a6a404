// The text of a key: `svc_live_…` (contract 7). Its id is that of the credential.
import { type SecretAddress, secretForm } from './secret-text.ts';

const form = secretForm('svc_live_');

export interface KeyAddress {
  readonly orgId: number;
  readonly credentialId: string;
}

export function newCredentialId(orgId: number): string {
  return form.newId(orgId);
}

export function newKey(credentialId: string): string {
  return form.newText(credentialId);
}

/** The org and credential of the key; undefined if the text is not a key or its checksum is wrong. */
export function parseKey(text: string): KeyAddress | undefined {
  return toKeyAddress(form.parse(text));
}

export function parseCredentialId(text: string): KeyAddress | undefined {
  return toKeyAddress(form.parseId(text));
}

export function toKeyAddress(address: SecretAddress | undefined): KeyAddress | undefined {
  return address && { orgId: address.orgId, credentialId: address.id };
}
