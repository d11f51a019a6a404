// The regions of international phone numbers (ITU-T E.164): a calling code and, after a hyphen, the digits that
// distinguish a region within its numbering plan. All other numbers belong to the plan's main region.

const regions = `
  1 US  7 RU  7-6 KZ  7-7 KZ  20 EG  27 ZA  30 GR  31 NL  32 BE  33 FR  34 ES  36 HU  39 IT  39-06698 VA  40 RO  41 CH
  43 AT  44 GB  44-1481 GG  44-1534 JE  44-1624 IM  45 DK  46 SE  47 NO  47-79 SJ  48 PL  49 DE  51 PE  52 MX  53 CU
  54 AR  55 BR  56 CL  57 CO  58 VE  60 MY  61 AU  61-89162 CC  61-89164 CX  62 ID  63 PH  64 NZ  65 SG  66 TH  81 JP
  82 KR  84 VN  86 CN  90 TR  91 IN  92 PK  93 AF  94 LK  95 MM  98 IR  211 SS  212 MA  213 DZ  216 TN  218 LY  220 GM
  221 SN  222 MR  223 ML  224 GN  225 CI  226 BF  227 NE  228 TG  229 BJ  230 MU  231 LR  232 SL  233 GH  234 NG
  235 TD  236 CF  237 CM  238 CV  239 ST  240 GQ  241 GA  242 CG  243 CD  244 AO  245 GW  246 IO  247 SH  248 SC
  249 SD  250 RW  251 ET  252 SO  253 DJ  254 KE  255 TZ  256 UG  257 BI  258 MZ  260 ZM  261 MG  262 RE  262-269 YT
  262-639 YT  263 ZW  264 NA  265 MW  266 LS  267 BW  268 SZ  269 KM  290 SH  291 ER  297 AW  298 FO  299 GL  350 GI
  351 PT  352 LU  353 IE  354 IS  355 AL  356 MT  357 CY  358 FI  358-18 AX  359 BG  370 LT  371 LV  372 EE  373 MD
  374 AM  375 BY  376 AD  377 MC  378 SM  380 UA  381 RS  382 ME  385 HR  386 SI  387 BA  389 MK  420 CZ  421 SK
  423 LI  500 FK  501 BZ  502 GT  503 SV  504 HN  505 NI  506 CR  507 PA  508 PM  509 HT  590 GP  591 BO  592 GY
  593 EC  594 GF  595 PY  596 MQ  597 SR  598 UY  599 BQ  599-9 CW  670 TL  672 NF  672-1 AQ  673 BN  674 NR  675 PG
  676 TO  677 SB  678 VU  679 FJ  680 PW  681 WF  682 CK  683 NU  685 WS  686 KI  687 NC  688 TV  689 PF  690 TK
  691 FM  692 MH  850 KP  852 HK  853 MO  855 KH  856 LA  880 BD  886 TW  960 MV  961 LB  962 JO  963 SY  964 IQ
  965 KW  966 SA  967 YE  968 OM  970 PS  971 AE  972 IL  973 BH  974 QA  975 BT  976 MN  977 NP  992 TJ  993 TM
  994 AZ  995 GE  996 KG  998 UZ
  1-204 CA  1-226 CA  1-236 CA  1-249 CA  1-250 CA  1-257 CA  1-263 CA  1-289 CA  1-306 CA  1-343 CA  1-354 CA
  1-365 CA  1-367 CA  1-368 CA  1-382 CA  1-387 CA  1-403 CA  1-416 CA  1-418 CA  1-428 CA  1-431 CA  1-437 CA
  1-438 CA  1-450 CA  1-468 CA  1-474 CA  1-506 CA  1-514 CA  1-519 CA  1-548 CA  1-579 CA  1-581 CA  1-584 CA
  1-587 CA  1-604 CA  1-613 CA  1-639 CA  1-647 CA  1-672 CA  1-683 CA  1-705 CA  1-709 CA  1-742 CA  1-753 CA
  1-778 CA  1-780 CA  1-782 CA  1-807 CA  1-819 CA  1-825 CA  1-867 CA  1-873 CA  1-879 CA  1-902 CA  1-905 CA
  1-242 BS  1-246 BB  1-264 AI  1-268 AG  1-284 VG  1-340 VI  1-345 KY  1-441 BM  1-473 GD  1-649 TC  1-658 JM
  1-664 MS  1-670 MP  1-671 GU  1-684 AS  1-721 SX  1-758 LC  1-767 DM  1-784 VC  1-787 PR  1-809 DO  1-829 DO
  1-849 DO  1-868 TT  1-869 KN  1-876 JM  1-939 PR
`;

interface Region {
  readonly country: string;
  /** The length of the calling code; the national number follows it. */
  readonly codeLength: number;
}

const byPrefix: ReadonlyMap<string, Region> = new Map(
  [...regions.matchAll(/([0-9]+)(-[0-9]+)? ([A-Z]{2})/g)].map(([, code = '', area = '', country = '']) => [
    code + area.slice(1),
    { country, codeLength: code.length },
  ]),
);
const prefixLengthMax = Math.max(...[...byPrefix.keys()].map((prefix) => prefix.length));

/** The region of an international number, given without its plus sign; undefined if there is none. */
export function regionOf(digits: string): Region | undefined {
  for (let length = Math.min(prefixLengthMax, digits.length); length > 0; length--) {
    const region = byPrefix.get(digits.slice(0, length));
    if (region !== undefined) return region;
  }
  return undefined;
}
