// Facts that none of the packages has, and corrections to those that they have, compiled by hand.

const words = s => s.trim().split(/\s+/);

// Codes of territories without a permanent population: they are left out.
export const uninhabited = new Set(words('AQ BV GS HM IO TF UM'));

// The English name to use where CLDR offers several: its "short" or "variant" form.
export const nameForm = {
  CD: 'CD-alt-variant', CG: 'CG-alt-variant', CI: 'CI-alt-variant', HK: 'HK-alt-short',
  MM: 'MM-alt-short', MO: 'MO-alt-short', PS: 'PS-alt-short', TR: 'TR-alt-variant',
};

// Territories with a code of their own, by the state to which they belong or with which they are associated.
export const territories = {
  AU: words('CC CX NF'), CN: words('HK MO'), DK: words('FO GL'), FI: words('AX'),
  FR: words('BL GF GP MF MQ NC PF PM RE WF YT'),
  GB: words('AI BM FK GG GI IM JE KY MS PN SH TC VG'),
  NL: words('AW BQ CW SX'), NO: words('SJ'), NZ: words('CK NU TK'),
  US: words('AS GU MP PR VI'),
};

// Traffic keeps left here, and right in every other country.
export const drivesLeft = new Set(words(`
  AG AI AU BB BD BM BN BS BT BW CC CK CX CY DM FJ FK GB GD GG GY HK ID IE IM IN JE JM JP KE KI KN KY LC LK LS
  MO MS MT MU MV MW MY MZ NA NF NP NR NU NZ PG PK PN SB SC SG SH SR SZ TC TH TK TL TO TT TV TZ UG VC VG VI WS ZA ZM ZW`));

// Areas that the map draws apart and that have no ISO code; all others of this kind are left out.
export const areas = { Kosovo: 'XK', Somaliland: 'SO', Baikonur: 'KZ', 'N. Cyprus': 'CY', 'Cyprus U.N. Buffer Zone': 'CY' };

// Land borders too short for the map: the Kazungula crossing on the Zambezi, and the isthmus of Macao.
export const shortBorders = [['BW', 'ZM'], ['CN', 'MO']];

// Corrections to the capitals of countries-list; null: there is none.
export const capitals = {
  AG: "St. John's", HK: null, LK: 'Sri Jayawardenepura Kotte', MN: 'Ulaanbaatar', PF: 'Papeete', SM: 'San Marino',
  SZ: 'Mbabane', TK: null, VA: null,
};

// Corrections to the calling codes of countries-list.
export const callingCodes = { BQ: ['599'], CW: ['599'], SJ: ['47'], XK: ['383'] };

// Corrections to the standing of languages in CLDR: official only in part of the country or not at all, or all over South Africa.
// Two that CLDR counts too high are left out.
export const standing = {
  'BF fr': 'also_spoken', 'CH gsw': 'also_spoken', 'EG cop': null, 'DZ fr': 'also_spoken', 'IL ar': 'also_spoken', 'LI gsw': 'also_spoken',
  'MA fr': 'also_spoken', 'MG en': 'also_spoken', 'ML fr': 'also_spoken', 'NE fr': 'also_spoken', 'NG ig': 'regional_language',
  'NG yo': 'regional_language', 'SN wo': 'regional_language', 'TN fr': 'also_spoken', 'UA ru': 'also_spoken', 'ZA hi': null,
  ...Object.fromEntries(words('af nr nso ss st tn ts ve xh zu').map(l => [`ZA ${l}`, 'official_language'])),
};

// Currencies in wide use that CLDR lists among the legal tender.
export const notTender = new Set(['HT USD']);

// Zones claimed by two countries.
export const disputedZones = new Set(['Europe/Simferopol']);

// Language groups (ISO 639-5) that CLDR's table leaves out, or for which it names a wider group.
export const families = {
  arn: 'sai', ast: 'roa', bi: 'cpe', csb: 'zlw', ewo: 'bnt', fan: 'bnt', gan: 'zhx', hak: 'zhx', hsn: 'zhx', iba: 'poz', jam: 'cpe',
  kj: 'bnt', kri: 'cpe', lah: 'inc',
  mt: 'sem', mwr: 'inc', ng: 'bnt', pap: 'cpp', pl: 'zlw', rn: 'bnt', rw: 'bnt', sq: 'ine', srn: 'cpe', swb: 'bnt', tpi: 'cpe',
  tzm: 'ber', vro: 'fiu', wuu: 'zhx', yue: 'zhx', zdj: 'bnt',
};

// Groups that are not families: artificial, multiple and sign languages, and single languages.
export const noFamily = new Set(words('art mul sgn cr sw ngb'));
