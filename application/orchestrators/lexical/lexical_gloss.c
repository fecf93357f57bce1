/* Everyday words of German, French, Spanish and Italian with the English word that the rules know.
 * A text is taken for the language that knows most of its words; English wins a tie, so that "die"
 * and "come" stay English in an English text. */
#include "application/orchestrators/lexical/lexical_words.h"
#include "domain/base/text.h"
#include <string.h>

/* "english=word,word", parted by blanks. */
static const char *const glossaries[] = {
    " enable=aktiviere disable=deaktiviere the=der,die,das,den,dem,des "
    "a=ein,eine,einen,einem,einer,eines my=mein,meine,meinen,meiner "
    "and=und,sowie or=oder of=des from=von,vom,aus,ab,seit to=nach,zu,zum,zur,bis,an,ans "
    "in=in,im,ins "
    "on=auf,am with=mit without=ohne for=für by=durch about=über at=um,bei,beim between=zwischen "
    "as=als is=ist are=sind i=ich me=mir,mich no=kein,keine,keinen not=nicht named=namens,genannt "
    "called=heißt titled=betitelt that=dass,daß which=welche,welcher,welches what=was this=diese,"
    "diesen,dieser,diesem,dieses here=hier also=auch only=nur under=unter,unterhalb over=oberhalb "
    "before=vor after=danach please=bitte it=es then=dann "
    "first=erste,ersten,erster,erstes last=letzte,letzten,letzter,letztes,jüngsten,neuesten "
    "next=nächste,nächsten,nächster,nächstes,kommenden line=zeile lines=zeilen word=wort "
    "words=wörter "
    "text=text,wortlaut subject=betreff title=titel,überschrift message=nachricht content=inhalt "
    "note=notiz comment=kommentar description=beschreibung name=name,namen file=datei "
    "files=dateien "
    "folder=ordner,verzeichnis folders=verzeichnisse page=seite rows=reihen "
    "results=treffer,ergebnisse "
    "entries=einträge hidden=versteckte,versteckten,verborgene today=heute tomorrow=morgen "
    "overmorrow=übermorgen "
    "yesterday=gestern day=tag days=tage,tagen week=woche weeks=wochen month=monat months=monate,"
    "monaten monday=montag tuesday=dienstag wednesday=mittwoch thursday=donnerstag friday=freitag "
    "saturday=samstag,sonnabend sunday=sonntag january=januar february=februar march=märz may=mai "
    "june=juni july=juli october=oktober december=dezember two=zwei three=drei four=vier five=fünf "
    "six=sechs seven=sieben eight=acht nine=neun ten=zehn twelve=zwölf twenty=zwanzig "
    "search=suche,suchen,such,durchsuche find=finde,finden read=lies,lese,lesen "
    "list=liste,auflisten "
    "show=zeige,zeig,anzeigen say=sag,sage send=sende,schick,schicke "
    "create=erstelle,erzeuge,anlegen "
    "delete=lösche,löschen,entferne move=verschiebe,benenne convert=rechne,wandle "
    "case=groß,gross,kleinschreibung,großschreibung,grossschreibung uppercase=großbuchstaben "
    "lowercase=kleinbuchstaben ignoring=ignoriere,ignorieren,ungeachtet,unabhängig regardless=egal "
    "recursive=rekursiv "
    "subfolders=unterordner,unterordnern overwrite=überschreibe,überschreiben "
    "open=offen,offene,offenen "
    "closed=geschlossen,geschlossene,geschlossenen high=hoch,hohe,hoher low=niedrig,niedrige "
    "francs=franken dollars=dollar degrees=grad oclock=uhr german=deutsch,deutsche "
    "english=englisch,englische "
    "french=französisch,französische spanish=spanisch,spanische italian=italienisch,italienische "
    "ascending=aufsteigend "
    "descending=absteigend ",
    " enable=allume,allumer,active disable=éteins,éteindre,désactive the=le,la,les,l,du,des "
    "a=un,une my=mon,ma,mes and=et or=ou of=d from=de,depuis to=à,au,aux,"
    "vers,jusqu in=en,dans on=sur with=avec without=sans for=pour by=par about=concernant "
    "between=entre as=comme is=est are=sont i=je me=moi no=pas,aucun named=nommé,nommée "
    "called=appelé,"
    "appelée titled=intitulé,intitulée that=que,qui which=quels,quelles,quel,quelle what=quoi "
    "this=ce,cette,cet here=ici also=aussi only=seulement,uniquement under=sous over=dessus "
    "before=avant after=après it=il then=puis,ensuite "
    "first=premier,première,premiers,premières last=dernier,dernière,derniers,dernières "
    "next=prochain,prochaine,prochains,prochaines line=ligne lines=lignes word=mot words=mots "
    "text=texte subject=objet,sujet title=titre content=contenu comment=commentaire name=nom "
    "file=fichier files=fichiers folder=dossier,répertoire folders=dossiers results=résultats "
    "entries=entrées hidden=cachés,caché,masqués overmorrow=après-demain today=aujourd'hui "
    "tomorrow=demain yesterday=hier "
    "day=jour days=jours week=semaine weeks=semaines month=mois monday=lundi tuesday=mardi "
    "wednesday=mercredi thursday=jeudi friday=vendredi saturday=samedi sunday=dimanche "
    "january=janvier "
    "february=février march=mars april=avril may=mai june=juin july=juillet august=août "
    "september=septembre october=octobre november=novembre december=décembre two=deux three=trois "
    "four=quatre five=cinq seven=sept eight=huit nine=neuf ten=dix twelve=douze twenty=vingt "
    "search=cherche,chercher,recherche,rechercher find=trouve,trouver read=lis,lire "
    "list=liste,lister "
    "show=montre,montrer,affiche,afficher say=dis,dire send=envoie,envoyer create=crée,créer "
    "delete=supprime,supprimer,efface move=déplace,déplacer,renomme convert=convertis,convertir "
    "case=casse uppercase=majuscules,majuscule lowercase=minuscules,minuscule "
    "ignoring=ignorant,ignore,ignorer recursive=récursif,récursivement subfolders=sous-dossiers "
    "overwrite=écrase,écraser,remplace open=ouvert,ouverte,ouverts,ouvertes closed=fermé,fermée,"
    "fermés,fermées high=haute,élevée low=basse,faible degrees=degrés german=allemand "
    "english=anglais french=français spanish=espagnol italian=italien ascending=croissant "
    "descending=décroissant ",
    " enable=enciende,encender,activa disable=apaga,apagar,desactiva the=el,la,los,las "
    "a=un,una,unos,unas my=mi,mis and=y,e or=o of=del from=de,desde "
    "to=a,al,hasta,"
    "hacia in=en with=con without=sin for=para,por about=acerca,sobre between=entre as=como "
    "is=es,está are=son,están i=yo me=me no=ningún not=no named=llamado,llamada titled=titulado,"
    "titulada that=que which=cuáles,cuál what=qué this=este,esta here=aquí also=también "
    "only=solo,sólo under=bajo over=encima before=antes after=después then=luego "
    "first=primer,primera,primeras,primero,primeros last=último,última,últimas,últimos "
    "next=próximo,próxima,próximos,próximas line=línea lines=líneas word=palabra words=palabras "
    "text=texto subject=asunto title=título message=mensaje content=contenido note=nota "
    "comment=comentario description=descripción name=nombre file=archivo,fichero files=archivos,"
    "ficheros folder=carpeta,directorio folders=carpetas page=página results=resultados "
    "entries=entradas hidden=ocultos,oculto today=hoy tomorrow=mañana yesterday=ayer day=día "
    "days=días "
    "week=semana weeks=semanas month=mes months=meses monday=lunes tuesday=martes "
    "wednesday=miércoles "
    "thursday=jueves friday=viernes saturday=sábado sunday=domingo january=enero february=febrero "
    "march=marzo april=abril may=mayo june=junio july=julio august=agosto september=septiembre "
    "october=octubre november=noviembre december=diciembre two=dos three=tres four=cuatro "
    "five=cinco "
    "six=seis seven=siete eight=ocho nine=nueve ten=diez twelve=doce twenty=veinte "
    "search=busca,buscar find=encuentra,encontrar read=lee,leer list=lista,listar "
    "show=muestra,mostrar,"
    "muéstrame say=di,decir send=envía,enviar,manda create=crea,crear delete=borra,borrar,elimina,"
    "eliminar move=mueve,mover,renombra convert=convierte,convertir uppercase=mayúsculas "
    "lowercase=minúsculas ignoring=ignorando,ignorar,distinguir recursive=recursivo,recursivamente "
    "subfolders=subcarpetas overwrite=sobrescribe,sobrescribir "
    "open=abierto,abierta,abiertos,abiertas "
    "closed=cerrado,cerrada,cerrados,cerradas high=alta low=baja degrees=grados german=alemán "
    "english=inglés french=francés spanish=español italian=italiano ascending=ascendente "
    "descending=descendente ",
    " enable=accendi,accendere,attiva disable=spegni,spegnere,disattiva the=il,lo,la,i,gli,le,l "
    "a=un,uno,una my=mio,mia,miei,mie and=e,ed or=o of=di,del,della,dei,"
    "delle,dello,dell,degli from=da,dal,dalla,dalle to=a,al,alla,alle,ai,all,fino,verso in=in,nel,"
    "nella,nei,nelle,nello,nell on=su,sul,sulla with=con without=senza for=per about=circa "
    "between=tra,"
    "fra as=come is=è are=sono me=mi no=nessun not=non named=chiamato,chiamata titled=intitolato,"
    "intitolata that=che which=quali,quale what=cosa this=questo,questa here=qui also=anche "
    "only=solo,soltanto under=sotto over=sopra before=prima after=dopo then=poi "
    "first=primo,prima,primi,prime last=ultimo,ultima,ultimi,ultime "
    "next=prossimo,prossima,prossimi,"
    "prossime line=riga lines=righe word=parola words=parole text=testo subject=oggetto "
    "title=titolo "
    "message=messaggio content=contenuto note=nota comment=commento description=descrizione "
    "name=nome "
    "files=file folder=cartella,directory folders=cartelle page=pagina results=risultati "
    "entries=voci "
    "hidden=nascosti,nascosto overmorrow=dopodomani today=oggi tomorrow=domani yesterday=ieri "
    "day=giorno days=giorni "
    "week=settimana weeks=settimane month=mese months=mesi monday=lunedì tuesday=martedì "
    "wednesday=mercoledì thursday=giovedì friday=venerdì saturday=sabato sunday=domenica "
    "january=gennaio february=febbraio march=marzo april=aprile may=maggio june=giugno july=luglio "
    "august=agosto september=settembre october=ottobre december=dicembre two=due three=tre "
    "four=quattro five=cinque six=sei seven=sette eight=otto nine=nove ten=dieci twelve=dodici "
    "twenty=venti search=cerca,cercare find=trova,trovare read=leggi,leggere list=elenca,elencare "
    "show=mostra,mostrare,mostrami say=dì,dire send=invia,inviare,manda create=crea,creare "
    "delete=elimina,eliminare,cancella,cancellare move=sposta,spostare,rinomina convert=converti,"
    "convertire uppercase=maiuscole,maiuscolo lowercase=minuscole,minuscolo ignoring=ignorando,"
    "ignorare,distinguere recursive=ricorsivo,ricorsivamente subfolders=sottocartelle "
    "overwrite=sovrascrivi,sovrascrivere open=aperto,aperta,aperti,aperte "
    "closed=chiuso,chiusa,chiusi,"
    "chiuse high=alta low=bassa degrees=gradi german=tedesco english=inglese french=francese "
    "spanish=spagnolo italian=italiano ascending=crescente descending=decrescente ",
};

/* The English word that the glossary gives for a word, NULL when it does not know it. */
static const char *look_up(struct arena *arena, const char *glossary, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = glossary; (at = strstr(at, word)); at++) {
        const char *start = at;
        if (!strchr("=,", at[-1]) || !at[length] || !strchr(", ", at[length]))
            continue;
        while (start[-1] != ' ')
            start--;
        return arena_strndup(arena, start, strcspn(start, "="));
    }
    return NULL;
}

/* A word of English that the rules know as well counts for English. */
static size_t known_words(struct arena *arena, const char *glossary,
                          const struct lexical_text *text)
{
    size_t n = 0;
    for (size_t i = 0; i < text->n; i++)
        if (text->tokens[i].kind == LEXICAL_WORD)
            n += glossary ? look_up(arena, glossary, text->tokens[i].lower) != NULL
                          : text->tokens[i].is_function || text->tokens[i].sense != SENSE_NONE;
    return n;
}

void lexical_gloss(struct arena *arena, const struct lexical_text *text)
{
    const char *best = NULL;
    size_t most = known_words(arena, NULL, text);
    bool is_english = 2 * most >= text->n;
    for (size_t i = 0; !is_english && i < ARRAY_LENGTH(glossaries); i++) {
        size_t known = known_words(arena, glossaries[i], text);
        if (known > most) {
            most = known;
            best = glossaries[i];
        }
    }
    for (size_t i = 0; best && i < text->n; i++) {
        struct lexical_token *token = &text->tokens[i];
        const char *english =
            token->kind == LEXICAL_WORD ? look_up(arena, best, token->lower) : NULL;
        if (english)
            token->english = english;
    }
}
