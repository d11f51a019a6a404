// A self-signed certificate for localhost, made on the spot, so that no private key is stored anywhere.
import { generateKeyPairSync, sign } from 'node:crypto';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Values of ASN.1 in DER: a tag, a length and the content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (date: string) => der(0x17, Buffer.from(date));

export function makeCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from('localhost')))));
  const alternativeName = sequence(der(0x82, Buffer.from('localhost')));
  const extensions = sequence(sequence(identifier('551d11'), der(0x04, alternativeName)));
  const unsigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(time('200101000000Z'), time('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', unsigned, privateKey));
  const text = sequence(unsigned, ecdsaWithSha256, signature).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${text.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
